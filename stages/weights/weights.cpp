#include "stages/weights/weights.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Applies `count` values of a weight map to pixels, and replaces the values by variances. Returns how many pixels the
/// map masks.
SRCEXTRACT_VECTOR_CLONES
std::int64_t weigh_piece(std::int64_t count, VarianceOfMap variance_of, float* __restrict pixels,
                         float* __restrict map) {
  constexpr std::int64_t together = 4096;  // pixels are counted in 32 bits, as wide as a float, so that GCC vectorises
                                           // the loop
  std::int64_t masked = 0;
  for (std::int64_t begin = 0; begin < count; begin += together) {
    std::int32_t here = 0;
    for (std::int64_t i = begin; i < std::min(count, begin + together); ++i)
      here += weigh(map[i], variance_of, pixels[i], map[i]);
    masked += here;
  }
  return masked;
}

SRCEXTRACT_VECTOR_CLONES
void mask_kept(std::int64_t count, const float* variance, float* __restrict kept) {
  for (std::int64_t i = 0; i < count; ++i) kept[i] = masked_with(variance[i], kept[i]);
}

/// Whether pixels.kept is masked where the map gives no variance.
bool masks_kept(const WeightsConfig& config) {
  return keeps_pixels(config) && config.interpolate != Interpolate::variance;
}

/// Does what apply_weights() does for images whose rows are made on demand (rows_on_demand.hpp). Rows of the image and
/// of the variances are made from the stored map.
void weigh_on_demand(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where) {
  const VarianceOfMap variance_of(config);
  const auto stored = std::make_shared<const Image<float, Cpu>>(std::move(map));
  const std::int64_t width = stored->shape.width;
  if (keeps_pixels(config)) {
    pixels.kept = same_rows(pixels.image);
    change_own_rows(pixels.image, where, [](float*, std::int64_t, std::int64_t) {});
  }
  change_and_count(pixels.image, pixels.masked->weight, where, [=](float* image, std::int64_t begin, std::int64_t end) {
    const HeldRows held(*stored, begin, end);
    const float* const first = stored->pixels.data() + begin * width;
    std::vector<float> variance(first, first + (end - begin) * width);
    return weigh_piece(std::ssize(variance), variance_of, image + begin * width, variance.data());
  });
  // Variances are masked where `image` is masked. Unless pixels are kept, `image` here already has the map's mask,
  // which changes nothing: pixels that the map masks have no variance.
  pixels.variance =
      image_on_demand<float>(stored->shape, row_memory_of(*stored),
                             [=, image = shared_rows(keeps_pixels(config) ? pixels.kept : pixels.image)](
                                 float* variance, std::int64_t begin, std::int64_t end) {
                               const HeldRows held(*stored, begin, end), of_image(*image, begin, end);
                               const float *const first = stored->pixels.data(), *const pixel = image->pixels.data();
                               std::copy(first + begin * width, first + end * width, variance + begin * width);
                               std::vector<float> masked(pixel + begin * width, pixel + end * width);
                               weigh_piece(std::ssize(masked), variance_of, masked.data(), variance + begin * width);
                             });
  if (!masks_kept(config)) return;
  change_own_rows(pixels.kept, where,
                  [=, variance = shared_rows(pixels.variance)](float* kept, std::int64_t begin, std::int64_t end) {
                    const HeldRows held(*variance, begin, end);
                    mask_kept((end - begin) * width, variance->pixels.data() + begin * width, kept + begin * width);
                  });
}

}  // namespace

void apply_weights(Image<float, Cpu>&& map, const WeightsConfig& config, Pixels<Cpu>& pixels, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(map, pixels.image));
  if (is_on_demand(map)) return weigh_on_demand(std::move(map), config, pixels, where);
  const VarianceOfMap variance_of(config);
  if (keeps_pixels(config)) {
    pixels.kept = Image<float, Cpu>(map.shape, where);
    std::copy(pixels.image.pixels.begin(), pixels.image.pixels.end(), pixels.kept.pixels.begin());
  }
  const std::int64_t width = map.shape.width;
  change_and_count(pixels.image, pixels.masked->weight, where, [&](float* image, std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * width, count = (end - begin) * width;
    float* const variance = map.pixels.data() + first;
    const std::int64_t masked = weigh_piece(count, variance_of, image + first, variance);
    if (masks_kept(config)) mask_kept(count, variance, pixels.kept.pixels.data() + first);
    return masked;
  });
  pixels.variance = std::move(map);
}

}  // namespace srcextract
