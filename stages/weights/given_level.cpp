#include "stages/weights/given_level.hpp"

#include <cstring>

#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Returns how many pixels the level masks.
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
  const bool with_variance = !pixels.variance.pixels.empty(), with_kept = !pixels.kept.pixels.empty();
  pixels.masked->level = count_masked(level.shape.count(), where, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t masked =
        subtract_piece(end - begin, level.pixels.data() + begin, pixels.image.pixels.data() + begin);
    if (with_kept) subtract_piece(end - begin, level.pixels.data() + begin, pixels.kept.pixels.data() + begin);
    const Image<float, Cpu>& used = with_kept ? pixels.kept : pixels.image;
    if (with_variance) mask_piece_like(end - begin, used.pixels.data() + begin, pixels.variance.pixels.data() + begin);
    return masked;
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
