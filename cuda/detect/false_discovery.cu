#include "stages/detect/false_discovery.hpp"

#include <algorithm>

#include "cuda/detect/noise_map.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/detect/false_discovery_rule.hpp"

namespace srcextract {

namespace {

using Count = unsigned long long;  // what atomicAdd takes

/// Counts of pixels by their significance: those of the bins, and behind them of all that are not masked.
constexpr int count_words = significance_bins + 1;

/// A block takes whole rows in turn; it adds up what it has in its own memory first.
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

/// One block, of which a thread has some neighbouring bins.
__global__ void __launch_bounds__(block_threads)
    apply_rule_kernel(const Count* counts, double share, double* threshold) {
  constexpr int own_bins = significance_bins / block_threads;
  static_assert(own_bins * block_threads == significance_bins);
  __shared__ Count of_thread[block_threads];
  __shared__ int lowest;
  const int first = static_cast<int>(threadIdx.x) * own_bins;
  Count own = 0;
  for (int i = 0; i < own_bins; ++i) own += counts[first + i];
  of_thread[threadIdx.x] = own;
  if (threadIdx.x == 0) lowest = significance_bins - 1;
  __syncthreads();
  Count above = 0;
  for (int i = static_cast<int>(threadIdx.x) + 1; i < block_threads; ++i) above += of_thread[i];
  int lowest_here = significance_bins - 1;
  const auto pixels = static_cast<std::int64_t>(counts[significance_bins]);
  for (int bin = first + own_bins - 1; bin >= first; --bin) {
    above += counts[bin];
    if (keeps_share(bin, static_cast<std::int64_t>(above), pixels, share)) lowest_here = bin;
  }
  atomicMin(&lowest, lowest_here);
  __syncthreads();
  if (threadIdx.x == 0) *threshold = significance_edge(lowest);
}

__global__ void raise_levels_kernel(Levels* levels, const double* threshold) {
  raise(*levels, *threshold);
}

}  // namespace

Value<double, Gpu> false_discovery_threshold(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels,
                                             const NoiseMap<Gpu>& noise, const DetectionConfig& config,
                                             const Gpu& where) {
  auto counts = filled<Count>(count_words, 0, where);
  const NoiseRows rows(noise, where);
  const unsigned int blocks = grid_for(std::max<std::int64_t>(image.shape.height, 1) * block_threads, where);
  count_kernel<<<blocks, block_threads, 0, where.stream>>>(image.pixels.data(), image.shape, levels.data(),
                                                           rows.pixels(), counts.data());
  check_launch();
  Value<double, Gpu> threshold(where);
  apply_rule_kernel<<<1, block_threads, 0, where.stream>>>(counts.data(), false_discovery_share(config),
                                                           threshold.data());
  check_launch();
  return threshold;
}

void raise_levels(Value<Levels, Gpu>& levels, const Value<double, Gpu>& threshold, const Gpu& where) {
  raise_levels_kernel<<<1, 1, 0, where.stream>>>(levels.data(), threshold.data());
  check_launch();
}

}  // namespace srcextract
