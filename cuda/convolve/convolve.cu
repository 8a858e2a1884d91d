#include "stages/convolve/convolve.hpp"

#include <algorithm>

#include "cuda/convolve/convolve_march.hpp"
#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

/// Limits of the height of a strip: rows of the image that one warp convolves. Low strips cost more reads, since each
/// strip also reads rows above and below it. With high strips, some warps run much longer than others.
constexpr std::int64_t least_strip_height = 8;
constexpr std::int64_t most_strip_height = 128;

/// Returns the height of strips in rows. The device handles `resident` strips at the same time. If the limits permit,
/// the number of strips is just below a multiple of `resident`, so that all warps are busy until the end.
std::int64_t choose_strip_height(const Shape& shape, std::int64_t strips_across, std::int64_t resident) {
  std::int64_t rows = most_strip_height + 1;
  for (std::int64_t times = 1; rows > most_strip_height; ++times) {
    const std::int64_t strips_down = std::max<std::int64_t>(1, times * resident / strips_across);
    rows = (shape.height + strips_down - 1) / strips_down;
  }
  return std::max(rows, least_strip_height);
}

template <class Sum>
void launch(Convolution task, const typename Sum::Weights& weights, const Gpu& where) {
  const std::size_t of_warp =
      sizeof(float) * Sum::rows_under_way * row_columns(Sum::most_width) + Sum::extra_memory(weights);
  int resident_blocks = 1;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident_blocks, convolve_kernel<Sum>, block_size<Sum>,
                                                      Sum::warps * of_warp));
  task.strips_across = (task.width + strip_width - 1) / strip_width;
  task.strip_height = choose_strip_height({task.width, task.height}, task.strips_across,
                                          std::int64_t{Sum::warps} * resident_blocks * where.multiprocessors);
  const std::int64_t strips = task.strips_across * ((task.height + task.strip_height - 1) / task.strip_height);
  const auto blocks = static_cast<unsigned int>((strips + Sum::warps - 1) / Sum::warps);
  convolve_kernel<Sum><<<blocks, block_size<Sum>, Sum::warps * of_warp, where.stream>>>(
      task, weights, static_cast<int>(of_warp / sizeof(float)));
  check_launch();
}

template <class Sum>
void launch_kernel(const Convolution& task, const Kernel& kernel, typename Sum::Weights weights, const Gpu& where) {
  std::ranges::copy(kernel.weights, weights.weight);
  launch<Sum>(task, weights, where);
}

template <class Sum>
void launch_separable(const Convolution& task, const Kernel& kernel, typename Sum::Weights weights, const Gpu& where) {
  std::ranges::copy(kernel.along_x, weights.along_x);
  std::ranges::copy(kernel.along_y, weights.along_y);
  launch<Sum>(task, weights, where);
}

void launch_any(const Convolution& task, const Kernel& kernel, const Gpu& where) {
  if (kernel.separable()) {
    return launch_separable<AnySeparableSum>(task, kernel, {.width = kernel.width, .height = kernel.height}, where);
  }
  launch_kernel<AnyKernelSum>(task, kernel, {.width = kernel.width, .height = kernel.height}, where);
}

/// Launches the CUDA kernel for a square of this side, or of one of the other sides, if `kernel` is such a square; else
/// the CUDA kernel for any size.
template <int side, int... others>
void launch_square(const Convolution& task, const Kernel& kernel, const Gpu& where) {
  if (kernel.width != side || kernel.height != side) {
    if constexpr (sizeof...(others) > 0) return launch_square<others...>(task, kernel, where);
    return launch_any(task, kernel, where);
  }
  if (kernel.separable()) return launch_separable<SeparableSum<side>>(task, kernel, {}, where);
  launch_kernel<KernelSum<side>>(task, kernel, {}, where);
}

}  // namespace

Image<float, Gpu> convolve(const Image<float, Gpu>& image, const Kernel& kernel, Edges edges,
                           const Value<Background, Gpu>& sky, const Gpu& where) {
  check_kernel_fits(kernel, image.shape);
  Image<float, Gpu> result(image.shape, where);
  const Convolution task{.pixels = image.pixels.data(),
                         .result = result.pixels.data(),
                         .width = image.shape.width,
                         .height = image.shape.height,
                         .edges = edges,
                         .background = sky.data(),
                         .full_weight = full_weight(kernel),
                         .keeps_noise = kernel.keeps_noise};
  launch_square<3, 5, 7, 9, 11, 13, 15>(task, kernel, where);
  return result;
}

}  // namespace srcextract
