#include "stages/weights/given_level.hpp"

#include "cuda/ingest/decode.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Subtracts the level from `pixels` and from `kept` (Pixels::kept). Masks the variance of each pixel that is masked in
/// `kept`, or in `pixels` if `kept` is null. `variance` may be null, too.
__global__ void __launch_bounds__(block_threads)
    subtract_level_kernel(std::int64_t count, const float* level, float* pixels, float* variance, float* kept,
                          MaskCounts* masked) {
  std::int64_t by_level = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    by_level += subtract_from(level[i], pixels[i]) ? 1 : 0;
    if (kept != nullptr) subtract_from(level[i], kept[i]);
    if (variance != nullptr) variance[i] = masked_with(kept != nullptr ? kept[i] : pixels[i], variance[i]);
  }
  add_over_warp(masked->level, by_level);
}

}  // namespace

void subtract_level(const Image<float, Gpu>& level, Pixels<Gpu>& pixels, const Gpu& where) {
  const std::int64_t count = level.shape.count();
  subtract_level_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(
      count, level.pixels.data(), pixels.image.pixels.data(), pixels.variance.pixels.data(), pixels.kept.pixels.data(),
      pixels.masked.data());
  check_launch();
}

}  // namespace srcextract
