#include "stages/weights/mask.hpp"

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Masks `count` pixels where `mask` is masked. Returns how many were not masked before.
SRCEXTRACT_VECTOR_CLONES
std::int64_t mask_piece(std::int64_t count, const float* mask, float* __restrict pixels) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < count; ++i) masked += mask_with(mask[i], pixels[i]) ? 1 : 0;
  return masked;
}

}  // namespace

void apply_mask(const Image<float, Cpu>& mask, Pixels<Cpu>& pixels, const Cpu& where) {
  change_and_count(pixels.image, pixels.masked->mask, where,
                   [from = shared_rows(mask)](float* image, std::int64_t begin, std::int64_t end) {
                     const HeldRows held(*from, begin, end);
                     const std::int64_t first = begin * from->shape.width;
                     return mask_piece((end - begin) * from->shape.width, from->pixels.data() + first, image + first);
                   });
}

Image<float, Cpu> mask_like(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Cpu& where) {
  constexpr std::int64_t piece_pixels = std::int64_t{1} << 17;
  Image<float, Cpu> masked(image.shape, where);
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) masked.pixels[i] = masked_with(image.pixels[i], variance.pixels[i]);
  });
  return masked;
}

}  // namespace srcextract
