#include "stages/weights/weights.hpp"

#include <utility>

#include "cuda/ingest/decode.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Converts `map` from weights to variances, in place. Masks pixels without a variance or with too large a variance,
/// and masks the variance of pixels that were masked before. `kept`, unless null, is a copy of the image in which only
/// pixels without a variance get masked.
__global__ void __launch_bounds__(block_threads)
    weigh_by_map_kernel(std::int64_t count, VarianceOfMap variance_of, float* pixels, float* map, float* kept,
                        MaskCounts* masked) {
  std::int64_t by_map = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    by_map += weigh(map[i], variance_of, pixels[i], map[i]);
    if (kept != nullptr) kept[i] = masked_with(map[i], kept[i]);
  }
  add_over_warp(masked->weight, by_map);
}

}  // namespace

void apply_weights(Image<float, Gpu>&& map, const WeightsConfig& config, Pixels<Gpu>& pixels, const Gpu& where) {
  const std::int64_t count = map.shape.count();
  if (keeps_pixels(config)) {
    pixels.kept = Image<float, Gpu>(map.shape, where);
    check(cudaMemcpyAsync(pixels.kept.pixels.data(), pixels.image.pixels.data(),
                          static_cast<std::size_t>(count) * sizeof(float), cudaMemcpyDeviceToDevice, where.stream));
  }
  const bool masks_kept = keeps_pixels(config) && config.interpolate != Interpolate::variance;
  weigh_by_map_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(
      count, VarianceOfMap(config), pixels.image.pixels.data(), map.pixels.data(),
      masks_kept ? pixels.kept.pixels.data() : nullptr, pixels.masked.data());
  check_launch();
  pixels.variance = std::move(map);
}

}  // namespace srcextract
