#include "stages/difference/fit/find_peaks.hpp"

#include "cuda/device/launch.hpp"
#include "stages/difference/fit/fit_view.hpp"
#include "stages/difference/fit/peak_pixel.hpp"

namespace srcextract {

namespace {

/// Converts a pixel to its value above the frame's sky.
struct AboveSky {
  FrameLevel level;
  __device__ float operator()(float value) const { return level.above(value); }
};

struct AsItIs {
  __device__ float operator()(float value) const { return value; }
};

/// Converts each pixel by `value`, and smooths the results along rows (dx 1, dy 0) or along columns (dx 0, dy 1).
template <class Value>
__global__ void __launch_bounds__(block_threads)
    smooth_kernel(ImageView image, int dx, int dy, Value value, Smoothing smoothing, float* out) {
  const std::int64_t width = image.shape.width, count = width * image.shape.height;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::int64_t x = i % width, y = i / width;
    float sum = 0;
    for (int k = 0; k < smoothing_taps; ++k) {
      const std::int64_t from_x = x + dx * (k - smoothing_half), from_y = y + dy * (k - smoothing_half);
      sum = fmaf(smoothing.weight[k], image.contains(from_x, from_y) ? value(image.at(from_x, from_y)) : 0, sum);
    }
    out[i] = sum;
  }
}

/// Lists the peaks above `threshold`, in any order.
__global__ void __launch_bounds__(block_threads)
    list_peaks_kernel(ImageView smoothed, float threshold, Peak* peaks, unsigned int* found) {
  const std::int64_t width = smoothed.shape.width, count = width * smoothed.shape.height;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const float value = smoothed.pixels[i];
    if (!(value > threshold) || !is_peak(smoothed, i % width, i / width)) continue;
    peaks[atomicAdd(found, 1U)] = {value, i % width, i / width};
  }
}

}  // namespace

std::vector<Peak> find_peaks(const Image<float, Gpu>& image, const FrameLevel& level, float threshold,
                             const Gpu& where) {
  const Shape shape = image.shape;
  const auto squares = [](std::int64_t side) { return side / (peak_half + 1) + 1; };
  const unsigned int grid = grid_for(shape.count(), where);
  const Smoothing smoothing;
  // Size in pixels of the buffers: as large as those of subtract_fitted(), which can then reuse the freed memory.
  const std::int64_t room = padded_shape(shape, most_kernel_half).count();
  Buffer<float, Gpu> rows(room, where), smoothed(room, where);
  // Filled with 0, since the copy to the host includes padding bytes of a Peak, which would be uninitialised.
  Buffer<Peak, Gpu> peaks = filled<Peak>(squares(shape.width) * squares(shape.height), 0, where);
  auto found = zeroed<unsigned int>(where);
  smooth_kernel<<<grid, block_threads, 0, where.stream>>>(ImageView{image.pixels.data(), shape}, 1, 0, AboveSky{level},
                                                          smoothing, rows.data());
  check_launch();
  smooth_kernel<<<grid, block_threads, 0, where.stream>>>(ImageView{rows.data(), shape}, 0, 1, AsItIs{}, smoothing,
                                                          smoothed.data());
  check_launch();
  list_peaks_kernel<<<grid, block_threads, 0, where.stream>>>({smoothed.data(), shape}, threshold, peaks.data(),
                                                              found.data());
  check_launch();
  const Buffer<Peak, Cpu> all = to_host(peaks, fetch(found, where), where);
  std::vector<Peak> sorted(all.begin(), all.end());
  sort_peaks(sorted);
  return sorted;
}

}  // namespace srcextract
