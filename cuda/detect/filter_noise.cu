#include "stages/detect/filter_noise.hpp"

#include "cuda/device/launch.hpp"
#include "stages/detect/filter_noise_rule.hpp"
#include "stages/detect/matched_pixel.hpp"
#include "stages/detect/significance_counts.hpp"

namespace srcextract {

namespace {

__global__ void levels_below_zero_kernel(const Levels* levels, Levels* below_zero) {
  *below_zero = levels_below_zero(sigma_of_match(*levels));
}

/// One block, of which a thread has some neighbouring bins.
__global__ void __launch_bounds__(block_threads) find_noise_kernel(const std::int64_t* counts, double* noise) {
  constexpr int own_bins = significance_bins / block_threads;
  static_assert(own_bins * block_threads == significance_bins);
  __shared__ std::int64_t of_thread[block_threads];
  __shared__ double one, two;
  const int thread = static_cast<int>(threadIdx.x), first = thread * own_bins;
  std::int64_t own = 0;
  for (int i = 0; i < own_bins; ++i) own += counts[first + i];
  of_thread[thread] = own;
  if (thread == 0) one = two = 0;
  __syncthreads();
  std::int64_t beyond = 0, below = 0;
  for (int i = 0; i < block_threads; ++i) {
    below += of_thread[i];
    if (i > thread) beyond += of_thread[i];
  }
  for (int bin = first + own_bins - 1; bin >= first; --bin) {
    find_share(bin, beyond, counts[bin], below, share_beyond_one, one);
    find_share(bin, beyond, counts[bin], below, share_beyond_two, two);
    beyond += counts[bin];
  }
  __syncthreads();
  if (thread == 0) *noise = noise_by_depths(one, two, below);
}

}  // namespace

Value<double, Gpu> filter_noise(const Image<float, Gpu>& match, const Value<Levels, Gpu>& levels, const Gpu& where) {
  Value<Levels, Gpu> below_zero(where);
  levels_below_zero_kernel<<<1, 1, 0, where.stream>>>(levels.data(), below_zero.data());
  check_launch();
  const Buffer<std::int64_t, Gpu> counts = count_significance(match, below_zero, NoiseMap<Gpu>{}, where);
  Value<double, Gpu> noise(where);
  find_noise_kernel<<<1, block_threads, 0, where.stream>>>(counts.data(), noise.data());
  check_launch();
  return noise;
}

}  // namespace srcextract
