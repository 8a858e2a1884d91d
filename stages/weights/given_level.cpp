#include "stages/weights/given_level.hpp"

#include <cstring>

#include "stages/core/contract.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Subtracts `count` values of the level from pixels. Returns how many pixels become masked because the level is
/// masked.
SRCEXTRACT_VECTOR_CLONES
std::int64_t subtract_piece(std::int64_t count, const float* level, float* __restrict pixels) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < count; ++i) masked += subtract_from(level[i], pixels[i]) ? 1 : 0;
  return masked;
}

SRCEXTRACT_VECTOR_CLONES
void mask_piece_like(std::int64_t count, const float* pixels, float* __restrict variance) {
  for (std::int64_t i = 0; i < count; ++i) variance[i] = masked_with(pixels[i], variance[i]);
}

}  // namespace

void subtract_level(const Image<float, Cpu>& level, Pixels<Cpu>& pixels, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(level, pixels.image));
  const auto subtract = [from = shared_rows(level)](float* image, std::int64_t begin, std::int64_t end) {
    const HeldRows held(*from, begin, end);
    const std::int64_t first = begin * from->shape.width;
    return subtract_piece((end - begin) * from->shape.width, from->pixels.data() + first, image + first);
  };
  change_and_count(pixels.image, pixels.masked->level, where, subtract);
  const bool with_kept = !pixels.kept.pixels.empty();
  if (with_kept) change_own_rows(pixels.kept, where, subtract);
  if (pixels.variance.pixels.empty()) return;
  // change_rows() would change the variance in place, and with it rows of `kept` that are made from the variance.
  change_own_rows(pixels.variance, where,
                  [used = shared_rows(with_kept ? pixels.kept : pixels.image)](float* variance, std::int64_t begin,
                                                                               std::int64_t end) {
                    const HeldRows held(*used, begin, end);
                    const std::int64_t first = begin * used->shape.width;
                    mask_piece_like((end - begin) * used->shape.width, used->pixels.data() + first, variance + first);
                  });
}

PixelSource constant_source(const Shape& shape, double value) {
  PixelSource source;
  source.shape = shape;
  source.format = {.bitpix = 8, .bzero = value};
  source.read = [](std::int64_t, std::int64_t count, std::byte* out) {
    std::memset(out, 0, static_cast<std::size_t>(count));
  };
  return source;
}

}  // namespace srcextract
