#include "cuda/device/launch.hpp"
#include "cuda/sky/mesh_rows.hpp"
#include "stages/sky/mask_bright.hpp"

namespace srcextract {

namespace {

__global__ void __launch_bounds__(block_threads)
    find_bright_kernel(const float* pixels, Shape shape, MeshMap level, MeshMap rms, BrightRule rule,
                       std::uint8_t* bright, float* scaled) {
  for (std::int64_t i = thread_index(); i < shape.width * shape.height; i += thread_total()) {
    const std::int64_t x = i % shape.width, y = i / shape.width;
    const float sky = level.at(x, y), noise = rms.at(x, y);
    bright[i] = rule.is_bright(pixels[i], sky, noise) ? 1 : 0;
    scaled[i] = in_units_of_noise(pixels[i], sky, noise);
  }
}

__global__ void __launch_bounds__(block_threads)
    mask_around_kernel(Shape shape, const std::uint8_t* bright, std::int64_t margin, float* masked) {
  for (std::int64_t i = thread_index(); i < shape.width * shape.height; i += thread_total()) {
    const std::int64_t x = i % shape.width, y = i / shape.width;
    bool near = false;
    for (std::int64_t v = max(std::int64_t{0}, y - margin); v <= min(shape.height - 1, y + margin); ++v)
      for (std::int64_t u = max(std::int64_t{0}, x - margin); u <= min(shape.width - 1, x + margin); ++u)
        near = near || bright[v * shape.width + u] != 0;
    if (near) masked[i] = masked_pixel;
  }
}

}  // namespace

Image<float, Gpu> mask_bright(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const BrightRule& rule,
                              const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const MeshRows level = MeshRows::of_level(mesh, where), rms = MeshRows::of_rms(mesh, where);
  Buffer<std::uint8_t, Gpu> bright(count, where);
  Image<float, Gpu> masked(image.shape, where);
  find_bright_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape, level.map(), rms.map(), rule, bright.data(), masked.pixels.data());
  check_launch();
  mask_around_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(image.shape, bright.data(),
                                                                                 rule.margin, masked.pixels.data());
  check_launch();
  return masked;
}

}  // namespace srcextract
