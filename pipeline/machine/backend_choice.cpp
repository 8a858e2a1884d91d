#include "pipeline/machine/backend_choice.hpp"

#include <algorithm>

#include "stages/convolve/kernel.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/convolve.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {
namespace {

// All constants are from tests/bench/HISTORY.md: files in the page cache, on two cores, and on one H200 with 16 cores
// of its host.

/// Bytes per second of one thread: 100 files of 4096² by 2 threads, 3.71 GB/s.
constexpr double thread_rate = 1.9e9;

/// Bytes per second of all threads. One image: 16384² by 16 threads in 0.145 s. Many: 100 files of 4096² in 0.504 s.
constexpr double cpu_rate_of_one = 7.4e9, cpu_rate_of_many = 13.3e9;

/// Slowdown on the CPU with deblending and the measurements of sextractor.yaml: a visit takes 3.42 s, and 0.777 s with
/// lesson.yaml.
constexpr double times_if_divided = 4.4;

/// Multiply-adds per second of one thread: 15 x 15, general, 2048² by 16 threads in 3.63 ms.
constexpr double thread_multiply_adds = 1.6e10;

/// Seconds until a GPU takes work: driver, context, first image.
constexpr double gpu_start = 0.27;

/// Seconds for ending a GPU, and for many workers with memory of their own. One: 2048² by a process, 0.379 s. Many: 12
/// to 40 files of 4096² by a process, 0.42 to 0.46 s more than for their bytes.
constexpr double gpu_end_of_one = 0.09, gpu_end_of_many = 0.15;

/// Bytes per second from files over the bus to rows. First image: 16384² in 72.4 ms. Many: 100 and 200 files of 4096²
/// in 0.611 and 0.940 s.
constexpr double gpu_rate_of_one = 15e9, gpu_rate_of_many = 25e9;

/// Seconds for a pixel of a crowd: 10 000 stars a Mpixel, 7100 of which are found, at 3800 a second and thread. A GPU:
/// 50 000 a Mpixel, 4096² in 0.42 s.
constexpr double thread_crowd_pixel = 1.9e-6, gpu_crowd_pixel = 2.5e-8;

/// Multiply-adds per pixel of the convolution.
double multiply_adds(const ConvolveConfig& config) {
  if (config.kernel == KernelShape::none) return 0;
  try {
    const Kernel kernel = make_kernel(config);
    return kernel.separable() ? kernel.width + kernel.height : kernel.width * kernel.height;
  } catch (const Error&) {
    return 0;  // the error is reported for every image
  }
}

}  // namespace

std::int64_t pixel_bytes(const ImageFile& file) {
  const auto ends_with = [&](const char* lower, const char* upper) {
    return file.path.ends_with(lower) || file.path.ends_with(upper);
  };
  if (ends_with(".fz", ".FZ")) return 6 * file.bytes;  // RICE: int16 5.2, float32 6.4 times
  if (ends_with(".gz", ".GZ")) return 4 * file.bytes;
  // With half this factor, visits of int16 were left to the CPU, and took 0.79 s instead of 0.58.
  return file.bytes + file.bytes / 2;
}

Workload workload_of(const PlannedFiles& files) {
  Workload work;
  const ImageConfig* last = nullptr;
  const FilesBeside* last_beside = nullptr;
  std::int64_t of_others = 0, beside = 0;
  double per_pixel = 0;
  for (const PlannedFile& planned : files) {
    const ImageConfig* const config = planned.file.config.get();
    if (config != last) {
      beside = 0;
      for (const std::string& path : config->config.combine.files) beside += pixel_bytes(look_at(path, path));
      per_pixel = multiply_adds(config->config.convolve);
      last = config;
    }
    if (planned.file.beside.get() != last_beside) {
      last_beside = planned.file.beside.get();
      const DetectionTask* const detection = planned.file.detection();
      const bool elsewhere = detection != nullptr && !planned.file.has_bands();
      of_others = elsewhere ? pixel_bytes(look_at(detection->path, detection->path)) : 0;
      if (planned.file.has_reference())
        of_others += pixel_bytes(look_at(last_beside->reference, last_beside->reference));
      if (planned.file.has_bands())
        for (const BandFile& band : last_beside->bands) of_others += pixel_bytes(look_at(band.path, band.path));
    }
    const std::int64_t bytes = pixel_bytes(planned.file);
    work.pixel_bytes += bytes + beside + of_others;
    if (config->config.deblend.method != DeblendMethod::none) work.divided_bytes += bytes;
    if (fits_crowd(config->config)) work.crowd_bytes += bytes;
    work.multiply_adds += per_pixel * static_cast<double>(bytes) / sizeof(float);
    work.several_images |= config->config.input.hdu.several();
  }
  work.several_images |= files.size() > 1;
  // A file with bands needs a GPU from the start: its sources are found once for all bands.
  const bool bands = std::ranges::any_of(files, [](const PlannedFile& planned) { return planned.file.has_bands(); });
  work.images = bands ? 1 : std::ssize(files);
  return work;
}

TimeEstimate estimate_times(const Workload& work, int threads) {
  const bool many = work.several_images;
  const auto bytes = static_cast<double>(work.pixel_bytes);
  const double weighed = bytes + (times_if_divided - 1) * static_cast<double>(work.divided_bytes);
  const double cpu_rate = std::min(many ? cpu_rate_of_many : cpu_rate_of_one, thread_rate * threads);
  const double crowd_pixels = static_cast<double>(work.crowd_bytes) / sizeof(float);
  const double cpu = weighed / cpu_rate + work.multiply_adds / (thread_multiply_adds * threads) +
                     crowd_pixels * thread_crowd_pixel / threads;
  const double time_of_one = cpu * threads / static_cast<double>(std::max<std::int64_t>(work.images, 1));
  const bool cpu_begins = work.images >= 2 * std::int64_t{threads} && time_of_one < gpu_start;
  const double done_before = cpu_begins ? std::min(gpu_start / cpu, 1.0) : 0;
  const double of_crowds = crowd_pixels * gpu_crowd_pixel;
  const double gpu =
      many ? gpu_end_of_many + (1 - done_before) * bytes / gpu_rate_of_many : gpu_end_of_one + bytes / gpu_rate_of_one;
  return {cpu, gpu_start + gpu + of_crowds, cpu_begins};
}

}  // namespace srcextract
