#include "stages/weights/mask.hpp"

#include "stages/core/contract.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/weights/count_masked.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

/// Masks each of `count` pixels whose value in `mask` is masked. Returns how many of these pixels were not masked
/// before.
SRCEXTRACT_VECTOR_CLONES
std::int64_t mask_piece(std::int64_t count, const float* mask, float* __restrict pixels) {
  std::int64_t masked = 0;
  for (std::int64_t i = 0; i < count; ++i) masked += mask_with(mask[i], pixels[i]) ? 1 : 0;
  return masked;
}

}  // namespace

void apply_mask(const Image<float, Cpu>& mask, Pixels<Cpu>& pixels, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(mask, pixels.image));
  change_and_count(pixels.image, pixels.masked->mask, where,
                   [from = shared_rows(mask)](float* image, std::int64_t begin, std::int64_t end) {
                     const HeldRows held(*from, begin, end);
                     const std::int64_t first = begin * from->shape.width;
                     return mask_piece((end - begin) * from->shape.width, from->pixels.data() + first, image + first);
                   });
}

Image<float, Cpu> mask_like(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(image, variance));
  return image_of_rows<float>(
      image.shape, row_memory_of(image), where,
      [of = shared_rows(image), from = shared_rows(variance)](float* masked, std::int64_t begin, std::int64_t end) {
        const HeldRows held(*of, begin, end), of_variance(*from, begin, end);
        for (std::int64_t i = begin * of->shape.width; i < end * of->shape.width; ++i)
          masked[i] = masked_with(of->pixels[i], from->pixels[i]);
      });
}

}  // namespace srcextract
