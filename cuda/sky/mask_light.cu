#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/sky/mesh_rows.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/sky/mask_bright.hpp"
#include "stages/sky/mask_light.hpp"

namespace srcextract {

namespace {

/// Writes every pixel in units of the noise, and finds the significance of each bin: a thread a bin, which adds its
/// pixels column by column and then the columns, as the host does.
__global__ void __launch_bounds__(block_threads)
    find_light_kernel(const float* pixels, Shape shape, Shape bins, MeshMap level, MeshMap rms, float* scaled,
                      float* significance, unsigned int* counts) {
  const std::int64_t bin = thread_index();
  if (bin >= bins.width * bins.height) return;
  const std::int64_t first_x = bin % bins.width * LightRule::side, first_y = bin / bins.width * LightRule::side;
  double columns[LightRule::side]{};
  int count = 0;
  for (std::int64_t y = first_y; y < min(shape.height, first_y + LightRule::side); ++y) {
#pragma unroll
    for (int column = 0; column < LightRule::side; ++column) {
      const std::int64_t x = first_x + column;
      if (x >= shape.width) break;
      const std::int64_t i = y * shape.width + x;
      const float pixel = in_units_of_noise(pixels[i], level.at(x, y), rms.at(x, y));
      scaled[i] = pixel;
      if (pixel != pixel) continue;
      columns[column] += static_cast<double>(pixel);
      ++count;
    }
  }
  double sum = 0;
  for (const double column : columns) sum += column;
  const float found = bin_significance(sum, count);
  significance[bin] = found;
  if (found == found) atomicAdd(&counts[LightHistogram::step_of(found)], 1U);
}

__global__ void find_limit_kernel(const unsigned int* counts, float* limit) {
  *limit = light_limit(counts);
}

__global__ void __launch_bounds__(block_threads)
    mask_lit_kernel(Shape shape, Shape bins, const float* significance, const float* limit, float* masked) {
  for (std::int64_t i = thread_index(); i < shape.width * shape.height; i += thread_total()) {
    const std::int64_t x = i % shape.width / LightRule::side, y = i / shape.width / LightRule::side;
    bool lit = false;
    for (std::int64_t v = max(std::int64_t{0}, y - 1); v <= min(bins.height - 1, y + 1); ++v)
      for (std::int64_t u = max(std::int64_t{0}, x - 1); u <= min(bins.width - 1, x + 1); ++u)
        lit = lit || significance[v * bins.width + u] > *limit;
    if (lit) masked[i] = masked_pixel;
  }
}

}  // namespace

Image<float, Gpu> mask_light(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where) {
  const std::int64_t count = image.shape.count();
  const Shape bins = light_bins(image.shape);
  const MeshRows level = MeshRows::of_level(mesh, where), rms = MeshRows::of_rms(mesh, where);
  Buffer<float, Gpu> significance(bins.count(), where), limit(1, where);
  Buffer<unsigned int, Gpu> counts = filled<unsigned int>(LightHistogram::steps, 0, where);
  Image<float, Gpu> masked(image.shape, where);
  find_light_kernel<<<blocks_for(bins.count()), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape, bins, level.map(), rms.map(), masked.pixels.data(), significance.data(),
      counts.data());
  check_launch();
  find_limit_kernel<<<1, 1, 0, where.stream>>>(counts.data(), limit.data());
  check_launch();
  mask_lit_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(image.shape, bins, significance.data(),
                                                                              limit.data(), masked.pixels.data());
  check_launch();
  return masked;
}

}  // namespace srcextract
