#include "stages/weights/weights.hpp"

#include <algorithm>
#include <utility>

#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Applies a map to `count` pixels; `map` is replaced by variances. Returns how many pixels the map masks.
SRCEXTRACT_VECTOR_CLONES
std::int64_t weigh_piece(std::int64_t count, VarianceOfMap variance_of, float* pixels, float* __restrict map) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < count; ++i) masked += weigh(map[i], variance_of, pixels[i], map[i]) ? 1 : 0;
  return masked;
}

SRCEXTRACT_VECTOR_CLONES
void mask_kept(std::int64_t count, const float* variance, float* __restrict kept) {
  for (std::int64_t i = 0; i < count; ++i) kept[i] = masked_with(variance[i], kept[i]);
}

}  // namespace

void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where) {
  const VarianceOfMap variance_of(config);
  if (keeps_pixels(config)) {
    pixels.kept = Image<float, Cpu>(map.shape, where);
    std::copy(pixels.image.pixels.begin(), pixels.image.pixels.end(), pixels.kept.pixels.begin());
  }
  const bool masks_kept = keeps_pixels(config) && config.interpolate != Interpolate::variance;
  pixels.masked->weight = count_masked(map.shape.count(), where, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t masked =
        weigh_piece(end - begin, variance_of, pixels.image.pixels.data() + begin, map.pixels.data() + begin);
    if (masks_kept) mask_kept(end - begin, map.pixels.data() + begin, pixels.kept.pixels.data() + begin);
    return masked;
  });
  pixels.variance = std::move(map);
}

}  // namespace srcextract
