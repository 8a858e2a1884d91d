#include "stages/detect/filter_noise.hpp"

#include "cuda/device/launch.hpp"
#include "stages/detect/filter_noise_rule.hpp"
#include "stages/detect/matched_pixel.hpp"
#include "stages/detect/significance_counts.hpp"

namespace srcextract {

namespace {

__global__ void levels_beside_zero_kernel(const Levels* levels, SideOfZero side, Levels* beside_zero) {
  *beside_zero = levels_beside_zero(sigma_of_match(*levels), side);
}

/// Finds the noise on one side of 0 from the number of pixels in each bin, in a single block; each thread handles
/// own_bins adjacent bins. The call for SideOfZero::above combines the result with `noise`, so the call for
/// SideOfZero::below must come first.
__global__ void __launch_bounds__(block_threads)
    find_noise_kernel(const std::int64_t* counts, SideOfZero side, double* noise) {
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
  std::int64_t beyond = 0, on_side = 0;
  for (int i = 0; i < block_threads; ++i) {
    on_side += of_thread[i];
    if (i > thread) beyond += of_thread[i];
  }
  for (int bin = first + own_bins - 1; bin >= first; --bin) {
    find_share(bin, beyond, counts[bin], on_side, share_beyond_one, one);
    find_share(bin, beyond, counts[bin], on_side, share_beyond_two, two);
    beyond += counts[bin];
  }
  __syncthreads();
  if (thread != 0) return;
  const double found = noise_by_depths(one, two, on_side);
  *noise = side == SideOfZero::below ? found : noise_of_sides(*noise, found);
}

}  // namespace

Value<double, Gpu> filter_noise(const Image<float, Gpu>& match, const Value<Levels, Gpu>& levels, const Gpu& where) {
  Value<Levels, Gpu> beside_zero(where);
  Value<double, Gpu> noise(where);
  for (const SideOfZero side : {SideOfZero::below, SideOfZero::above}) {
    levels_beside_zero_kernel<<<1, 1, 0, where.stream>>>(levels.data(), side, beside_zero.data());
    check_launch();
    const Buffer<std::int64_t, Gpu> counts = count_significance(match, beside_zero, NoiseMap<Gpu>{}, where);
    find_noise_kernel<<<1, block_threads, 0, where.stream>>>(counts.data(), side, noise.data());
    check_launch();
  }
  return noise;
}

}  // namespace srcextract
