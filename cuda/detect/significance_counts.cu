#include "stages/detect/significance_counts.hpp"

#include "cuda/detect/noise_map.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/detect/false_discovery_rule.hpp"

namespace srcextract {

namespace {

using Count = unsigned long long;  // the only unsigned 64-bit type that atomicAdd accepts

/// Counts the pixels in each bin of significance. Each block loops over rows, and counts in shared memory first.
__global__ void __launch_bounds__(block_threads)
    count_kernel(const float* pixels, Shape shape, const Levels* of_image, NoiseOfPixels noise, Count* counts) {
  __shared__ unsigned int in_bin[significance_bins];
  for (int i = static_cast<int>(threadIdx.x); i < significance_bins; i += block_threads) in_bin[i] = 0;
  __syncthreads();
  const Levels levels = *of_image;
  const double everywhere = unit(levels);
  Count unmasked = 0;
  for (std::int64_t y = blockIdx.x; y < shape.height; y += gridDim.x) {
    for (std::int64_t x = threadIdx.x; x < shape.width; x += block_threads) {
      const double here = noise.varies() ? unit_above_noise(levels, noise.at(x, y)) : everywhere;
      const int bin = significance_bin(__ldg(pixels + y * shape.width + x), levels, here);
      if (bin != masked_bin) ++unmasked;
      if (bin >= 0) atomicAdd(&in_bin[bin], 1u);
    }
  }
  unmasked = sum_of_warp(unmasked);
  if (first_lane() && unmasked > 0) atomicAdd(&counts[significance_bins], unmasked);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < significance_bins; i += block_threads)
    if (in_bin[i] > 0) atomicAdd(&counts[i], Count{in_bin[i]});
}

}  // namespace

Buffer<std::int64_t, Gpu> count_significance(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const Gpu& where) {
  auto counts = filled<std::int64_t>(significance_bins + 1, 0, where);
  const NoiseRows rows(noise, where);
  const unsigned int blocks = grid_for(image.shape.height * block_threads, where);
  count_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), image.shape, levels.data(),
                                                           rows.pixels(), reinterpret_cast<Count*>(counts.data()));
  check_launch();
  return counts;
}

}  // namespace srcextract
