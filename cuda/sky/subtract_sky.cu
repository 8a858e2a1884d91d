#include "cuda/device/launch.hpp"
#include "cuda/sky/mesh_rows.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {

namespace {

/// Pixels of a row that a thread takes, a warp's width apart.
constexpr int pixels_per_thread = 4;
constexpr int block_pixels = block_threads * pixels_per_thread;

__global__ void subtract_sky_kernel(const float* pixels, Shape shape, MeshMap level, float* above) {
  const std::int64_t across = (shape.width + block_pixels - 1) / block_pixels;
  const std::int64_t y = blockIdx.x / across, first = blockIdx.x % across * block_pixels + threadIdx.x;
#pragma unroll
  for (int k = 0; k < pixels_per_thread; ++k) {
    const std::int64_t x = first + k * block_threads;
    if (x < shape.width) above[y * shape.width + x] = pixel_of(pixels[y * shape.width + x] - level.at(x, y));
  }
}

}  // namespace

Image<float, Gpu> subtract_sky(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where) {
  Image<float, Gpu> above(image.shape, where);
  const MeshRows rows(mesh.grid, mesh.level, mesh.level_bend, where);
  const std::int64_t across = (image.shape.width + block_pixels - 1) / block_pixels;
  subtract_sky_kernel<<<static_cast<unsigned int>(across * image.shape.height), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape, rows.map(), above.pixels.data());
  check_launch();
  return above;
}

}  // namespace srcextract
