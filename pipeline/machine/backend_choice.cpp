#include "pipeline/machine/backend_choice.hpp"

#include <algorithm>

#include "stages/convolve/kernel.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/convolve.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {
namespace {

// All constants were measured with files in the page cache (tests/bench/HISTORY.md). `thread_rate` and
// `thread_crowd_pixel` are from a machine with two cores, all others from 16 cores and one NVIDIA H200 GPU. Bytes are
// bytes of pixels as float32.

/// Bytes per second that one thread extracts. Measured: 100 files of 4096 x 4096 pixels, 2 threads, 3.71 GB/s.
constexpr double thread_rate = 1.9e9;

/// Bytes per second that all threads extract, for one image and for many images. Measured with 16 threads: 16384 x
/// 16384 pixels in 0.145 s; 100 files of 4096 x 4096 pixels in 0.504 s.
constexpr double cpu_rate_of_one = 7.4e9, cpu_rate_of_many = 13.3e9;

/// Factor by which deblending and the measurements of config/sextractor.yaml slow the CPU. Measured: the 189 images of
/// one telescope visit take 3.42 s, and 0.777 s with config/lesson.yaml, which does not deblend.
constexpr double times_if_divided = 4.4;

/// Multiply-adds per second of one thread in a convolution. Measured: a kernel of 15 x 15 that is not separable, 2048 x
/// 2048 pixels, 16 threads, 3.63 ms.
constexpr double thread_multiply_adds = 1.6e10;

/// Seconds from the start of the program until a GPU takes work: start of the driver, CUDA context, first image.
constexpr double gpu_start = 0.27;

/// Seconds to end a process that uses a GPU, for one image and for many images. The latter include the time in which
/// worker threads allocate memory. Measured: 2048 x 2048 pixels take 0.379 s; 12 to 40 files of 4096 x 4096 pixels take
/// 0.42 to 0.46 s plus the time for their bytes.
constexpr double gpu_end_of_one = 0.09, gpu_end_of_many = 0.15;

/// Bytes per second with a GPU, from reading files to catalogue rows, for one image and for many images. Measured:
/// 16384 x 16384 pixels in 72.4 ms; 100 and 200 files of 4096 x 4096 pixels in 0.611 s and 0.940 s.
constexpr double gpu_rate_of_one = 15e9, gpu_rate_of_many = 25e9;

/// Seconds per pixel of a crowded field whose stars are fitted jointly, on one CPU thread and on a GPU. Measured: one
/// thread fits 3800 stars per second, with 7100 stars found per million pixels; a GPU takes 0.43 s for 4096 x 4096
/// pixels with 50 000 stars per million pixels.
constexpr double thread_crowd_pixel = 1.9e-6, gpu_crowd_pixel = 2.5e-8;

/// Number of multiply-adds per pixel of the convolution; 0 if the kernel cannot be made.
double multiply_adds(const ConvolveConfig& config) {
  if (config.kernel == KernelShape::none) return 0;
  try {
    const Kernel kernel = make_kernel(config);
    return kernel.separable() ? kernel.width + kernel.height : kernel.width * kernel.height;
  } catch (const Error&) {
    return 0;  // the extraction of each image reports the error
  }
}

}  // namespace

std::int64_t pixel_bytes(const ImageFile& file) {
  const auto ends_with = [&](const char* lower, const char* upper) {
    return file.path.ends_with(lower) || file.path.ends_with(upper);
  };
  if (ends_with(".fz", ".FZ"))
    return 6 * file.bytes;  // factors measured with RICE compression: 5.2 for int16, 6.4 for float32
  if (ends_with(".gz", ".GZ")) return 4 * file.bytes;
  // A factor of 0.75 left a survey of int16 images to the CPU, which took 0.79 s instead of 0.58 s on the GPU.
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
  // The sources of a file with bands are found once for all bands, so the CPU cannot begin with a part of the images.
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
