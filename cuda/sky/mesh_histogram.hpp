#pragma once

#include <cub/block/block_scan.cuh>

#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/sky/mesh_estimate.hpp"

namespace srcextract {

__device__ inline HistogramSums operator+(const HistogramSums& a, const HistogramSums& b) {
  return {a.count + b.count, a.first + b.first, a.second + b.second};
}
__device__ inline HistogramSums operator-(const HistogramSums& a, const HistogramSums& b) {
  return {a.count - b.count, a.first - b.first, a.second - b.second};
}

/// The histogram of a mesh, in the shared memory of its block of block_threads threads. What is in all bins before a
/// chunk of bins is kept, so that a round of the clip is two look-ups and the bins of two chunks.
class MeshHistogram {
 public:
  /// By all threads; then bins may be counted up.
  __device__ void clear(int bins) {
    for (int bin = static_cast<int>(threadIdx.x); bin < chunks(bins) * chunk_bins; bin += block_threads)
      counts_[bin] = 0;
    __syncthreads();
  }
  __device__ void count_up(int bin) { atomicAdd(&counts_[bin], 1u); }

  /// By all threads, when all have counted; then rounds may begin.
  __device__ void sum_chunks(int bins) {
    __syncthreads();
    const int chunk = static_cast<int>(threadIdx.x);
    const HistogramSums own = chunk < chunks(bins) ? of_chunk(chunk) : HistogramSums{};
    HistogramSums before, total;
    Scan(scratch_).ExclusiveScan(
        own, before, HistogramSums{}, [](const HistogramSums& a, const HistogramSums& b) { return a + b; }, total);
    __syncthreads();  // all are done with the scratch memory
    before_[chunk] = before;
    if (chunk == 0) before_[most_chunks] = total;
    __syncthreads();
  }

  /// Clips, by one warp; all lanes get the result.
  __device__ HistogramClip clip(int bins, double kappa) const {
    HistogramClip clip(bins);
    while (clip.goes_on()) {
      const HistogramSums low = before_bins(clip.low, clip.high + 1, 0), high = before_bins(clip.low, clip.high + 1, 1);
      const HistogramSums kept = high - low;
      clip.set_sums(kept);
      clip.clip(kept.count > 0 ? median(clip.low, low.count, kept.count) : 0, kappa, bins);
    }
    return clip;
  }

 private:
  static constexpr int chunk_bins = 16;
  static constexpr int most_chunks = most_bins / chunk_bins;
  static_assert(most_chunks == block_threads);
  using Scan = cub::BlockScan<HistogramSums, block_threads>;

  __device__ static int chunks(int bins) { return (bins + chunk_bins - 1) / chunk_bins; }

  __device__ HistogramSums of_bin(int bin) const {
    const std::int64_t count = counts_[bin];
    return {count, count * bin, count * bin * bin};
  }

  __device__ HistogramSums of_chunk(int chunk) const {
    std::uint64_t count = 0, first = 0, second = 0;  // the first bin of the chunk as 0
#pragma unroll
    for (int k = 0; k < chunk_bins; ++k) {
      // Every second lane begins with another bin, or all would meet in two banks.
      const auto bin = static_cast<std::uint32_t>((k + chunk / 2) % chunk_bins);
      const std::uint64_t here = counts_[chunk * chunk_bins + static_cast<int>(bin)];
      count += here;
      first += here * bin;
      second += here * (bin * bin);
    }
    const auto begin = static_cast<std::uint64_t>(chunk * chunk_bins);
    return {static_cast<std::int64_t>(count), static_cast<std::int64_t>(begin * count + first),
            static_cast<std::int64_t>(begin * (begin * count + 2 * first) + second)};
  }

  /// The sums over all bins before `low`, or before `high`: half a warp looks at each.
  __device__ HistogramSums before_bins(int low, int high, int which) const {
    const int end = lane() < 16 ? low : high, bin = end / chunk_bins * chunk_bins + lane() % 16;
    HistogramSums own = bin < end ? of_bin(bin) : HistogramSums{};
#pragma unroll
    for (int step = 8; step > 0; step /= 2)
      own =
          own + HistogramSums{__shfl_xor_sync(all_lanes, own.count, step), __shfl_xor_sync(all_lanes, own.first, step),
                              __shfl_xor_sync(all_lanes, own.second, step)};
    const int from = 16 * which;
    const HistogramSums part{__shfl_sync(all_lanes, own.count, from), __shfl_sync(all_lanes, own.first, from),
                             __shfl_sync(all_lanes, own.second, from)};
    return before_[(which == 0 ? low : high) / chunk_bins] + part;
  }

  /// The median of `count` pixels in the bins from `low` on, before which there are `before`.
  __device__ double median(int low, std::int64_t before, std::int64_t count) const {
    int chunk = low / chunk_bins;
    for (int end = most_chunks; chunk + 1 < end;) {  // the last chunk before which there is less than half
      const int middle = (chunk + end) / 2;
      (2 * (before_[middle].count - before) < count ? chunk : end) = middle;
    }
    const int bin = chunk * chunk_bins + lane();
    const std::int64_t here = lane() < chunk_bins && bin >= low ? counts_[bin] : 0;
    const std::int64_t start = max(before_[chunk].count - before, std::int64_t{0});
    const std::int64_t through = start + running_sum_of_warp(here);
    const int first = __ffs(static_cast<int>(__ballot_sync(all_lanes, 2 * through >= count))) - 1;
    const std::int64_t before_middle = __shfl_sync(all_lanes, through - here, first);
    return histogram_median(chunk * chunk_bins + first, before_middle, count,
                            [&](int of) { return static_cast<std::int64_t>(counts_[of]); });
  }

  std::uint32_t counts_[most_bins];
  union {
    HistogramSums before_[most_chunks + 1];
    typename Scan::TempStorage scratch_;  // of which they come
  };
};

}  // namespace srcextract
