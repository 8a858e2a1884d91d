#include "stages/detect/false_discovery.hpp"

#include "cuda/device/launch.hpp"
#include "stages/detect/false_discovery_rule.hpp"
#include "stages/detect/significance_counts.hpp"

namespace srcextract {

namespace {

/// Finds the threshold from the number of pixels in each bin of significance, in a single block. Each thread handles
/// own_bins adjacent bins.
__global__ void __launch_bounds__(block_threads)
    apply_rule_kernel(const std::int64_t* counts, double share, double* threshold) {
  constexpr int own_bins = significance_bins / block_threads;
  static_assert(own_bins * block_threads == significance_bins);
  __shared__ std::int64_t of_thread[block_threads];
  __shared__ int lowest;
  const int first = static_cast<int>(threadIdx.x) * own_bins;
  std::int64_t own = 0;
  for (int i = 0; i < own_bins; ++i) own += counts[first + i];
  of_thread[threadIdx.x] = own;
  if (threadIdx.x == 0) lowest = significance_bins - 1;
  __syncthreads();
  std::int64_t above = 0;
  for (int i = static_cast<int>(threadIdx.x) + 1; i < block_threads; ++i) above += of_thread[i];
  int lowest_here = significance_bins - 1;
  const std::int64_t pixels = counts[significance_bins];
  for (int bin = first + own_bins - 1; bin >= first; --bin) {
    above += counts[bin];
    if (keeps_share(bin, above, pixels, share)) lowest_here = bin;
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
  const Buffer<std::int64_t, Gpu> counts = count_significance(image, levels, noise, where);
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
