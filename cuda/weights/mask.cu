#include "stages/weights/mask.hpp"

#include "cuda/ingest/decode.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {

namespace {

__global__ void __launch_bounds__(block_threads)
    mask_pixels_kernel(std::int64_t count, const float* mask, float* pixels, MaskCounts* masked) {
  std::int64_t by_mask = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    by_mask += mask_with(mask[i], pixels[i]) ? 1 : 0;
  add_over_warp(masked->mask, by_mask);
}

__global__ void __launch_bounds__(block_threads)
    mask_like_kernel(std::int64_t count, const float* image, const float* variance, float* masked) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) masked[i] = masked_with(image[i], variance[i]);
}

}  // namespace

void apply_mask(const Image<float, Gpu>& mask, Pixels<Gpu>& pixels, const Gpu& where) {
  const std::int64_t count = mask.shape.count();
  mask_pixels_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(
      count, mask.pixels.data(), pixels.image.pixels.data(), pixels.masked.data());
  check_launch();
}

Image<float, Gpu> mask_like(const Image<float, Gpu>& image, const Image<float, Gpu>& variance, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  Image<float, Gpu> masked(image.shape, where);
  mask_like_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(
      count, image.pixels.data(), variance.pixels.data(), masked.pixels.data());
  check_launch();
  return masked;
}

}  // namespace srcextract
