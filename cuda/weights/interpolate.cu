#include "stages/weights/interpolate.hpp"

#include "cuda/device/launch.hpp"
#include "stages/weights/interpolate_pixel.hpp"

namespace srcextract {

namespace {

/// Number of threads of a block, one per column: a single warp, so that the columns are spread over all
/// multiprocessors.
constexpr int columns_of_block = 32;

/// Fills bad pixels, with one thread per column. The four unrolled iterations load their pixels together, since a load
/// depends on earlier results only if a pixel is bad.
__global__ void __launch_bounds__(columns_of_block)
    interpolate_kernel(const float* __restrict__ values, const float* __restrict__ variances, std::int64_t width,
                       std::int64_t count, GapRules rules, const double* scale, float* __restrict__ filled,
                       float* __restrict__ filled_variances) {
  const std::int64_t x = thread_index();
  if (x >= width) return;
  if (scale != nullptr) rules.least_bad = least_bad_variance(rules.least_bad, *scale);
  ColumnState column;
#pragma unroll 4
  for (std::int64_t row = 0; row < count; row += width) {
    const WeighedPixel pixel = fill_pixel(values + row, variances + row, x, rules, column);
    filled[row + x] = pixel.value;
    filled_variances[row + x] = pixel.variance;
  }
}

}  // namespace

Interpolated<Gpu> interpolate_bad(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                                  const WeightsConfig& config, const Gpu& where, const Value<double, Gpu>* scale) {
  const Shape& shape = image.shape;
  Interpolated<Gpu> filled{{shape, where}, {shape, where}};
  const auto blocks = static_cast<unsigned int>((shape.width + columns_of_block - 1) / columns_of_block);
  interpolate_kernel<<<blocks, columns_of_block, 0, where.stream>>>(
      image.pixels.data(), variance.pixels.data(), shape.width, shape.count(), GapRules(config),
      scale != nullptr ? scale->data() : nullptr, filled.image.pixels.data(), filled.variance.pixels.data());
  check_launch();
  return filled;
}

}  // namespace srcextract
