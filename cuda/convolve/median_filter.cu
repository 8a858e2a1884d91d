#include "stages/convolve/median_filter.hpp"

#include "cuda/device/launch.hpp"

namespace srcextract {
namespace {

constexpr unsigned int block_width = 32, block_height = 8;

/// One thread a pixel: an image is read once, since the rows above and below are in the cache.
__global__ void filter_kernel(const float* pixels, Shape shape, float* result) {
  const std::int64_t x = std::int64_t{blockIdx.x} * block_width + threadIdx.x;
  if (x >= shape.width) return;
  for (std::int64_t y = std::int64_t{blockIdx.y} * block_height + threadIdx.y; y < shape.height;
       y += std::int64_t{gridDim.y} * block_height)
    result[y * shape.width + x] = median_about(pixels, shape, x, y);
}

}  // namespace

Image<float, Gpu> median_filter(const Image<float, Gpu>& image, const Gpu& where) {
  constexpr std::int64_t most_blocks_down = 65535;
  Image<float, Gpu> result(image.shape, where);
  const dim3 blocks(static_cast<unsigned int>((image.shape.width + block_width - 1) / block_width),
                    static_cast<unsigned int>(std::clamp<std::int64_t>(
                        (image.shape.height + block_height - 1) / block_height, 1, most_blocks_down)));
  filter_kernel<<<blocks, dim3(block_width, block_height), 0, where.stream>>>(image.pixels.data(), image.shape,
                                                                              result.pixels.data());
  check_launch();
  return result;
}

}  // namespace srcextract
