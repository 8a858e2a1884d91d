#include "cuda/device/launch.hpp"
#include "cuda/sky/mesh_rows.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {

namespace {

/// Number of rows that a thread handles; in each row, the thread handles four pixels.
constexpr int rows_per_thread = 8;

/// Subtracts the sky from column x in rows y to end - 1. Needed for images whose width is no multiple of four.
__device__ void subtract_column(const float* pixels, const Shape& shape, const MeshMap& level, std::int64_t x,
                                std::int64_t y, std::int64_t end, float* above) {
  for (; y < end; ++y) above[y * shape.width + x] = pixel_of(pixels[y * shape.width + x] - level.at(x, y));
}

__global__ void __launch_bounds__(block_threads)
    subtract_sky_kernel(const float* pixels, Shape shape, MeshMap level, float* above) {
  const std::int64_t quads = (shape.width + 3) / 4, across = (quads + block_threads - 1) / block_threads;
  const std::int64_t x = (blockIdx.x % across * block_threads + threadIdx.x) * 4;
  const std::int64_t first = blockIdx.x / across * rows_per_thread;
  if (x >= shape.width) return;
  if (shape.width % 4 != 0) {  // rows do not begin at multiples of 16 bytes, as float4 needs
    for (std::int64_t i = x; i < min(x + 4, shape.width); ++i)
      subtract_column(pixels, shape, level, i, first, min(first + rows_per_thread, shape.height), above);
    return;
  }
  const FourColumns columns(level, x);
  float4 pixel[rows_per_thread];
#pragma unroll
  for (int k = 0; k < rows_per_thread; ++k)
    if (first + k < shape.height) pixel[k] = *reinterpret_cast<const float4*>(pixels + (first + k) * shape.width + x);
#pragma unroll
  for (int k = 0; k < rows_per_thread; ++k) {
    if (first + k >= shape.height) break;
    const float4 sky = columns.at(level, first + k);
    // Streaming stores, since `above` may be in host memory: plain stores would cross the bus in small parts, at a
    // quarter of the bus's speed.
    __stcs(reinterpret_cast<float4*>(above + (first + k) * shape.width + x),
           float4{pixel_of(pixel[k].x - sky.x), pixel_of(pixel[k].y - sky.y), pixel_of(pixel[k].z - sky.z),
                  pixel_of(pixel[k].w - sky.w)});
  }
}

}  // namespace

Image<float, Gpu> subtract_sky(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where) {
  Image<float, Gpu> above(image.shape, where);
  const MeshRows rows = MeshRows::of_level(mesh, where);
  const auto [width, height] = image.shape;
  const std::int64_t across = ((width + 3) / 4 + block_threads - 1) / block_threads;
  const std::int64_t down = (height + rows_per_thread - 1) / rows_per_thread;
  subtract_sky_kernel<<<static_cast<unsigned int>(across * down), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape, rows.map(), above.pixels.data());
  check_launch();
  return above;
}

}  // namespace srcextract
