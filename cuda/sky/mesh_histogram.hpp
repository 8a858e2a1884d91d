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

/// The histogram of a mesh's pixels, in the shared memory of a block of block_threads threads. The histogram is divided
/// into chunks of 16 bins, and keeps the sums over all bins before each chunk. To sum the kept bins, an iteration of
/// the clip then reads two of these sums and the bins of two chunks, and not all bins.
class MeshHistogram {
 public:
  /// Sets the first `bins` bins to 0 before pixels are counted. All threads must call this function together.
  __device__ void clear(int bins) {
    for (int bin = static_cast<int>(threadIdx.x); bin < chunks(bins) * chunk_bins; bin += block_threads)
      counts_[bin] = 0;
    __syncthreads();
  }
  __device__ void count_up(int bin) { atomicAdd(&counts_[bin], 1u); }

  /// Computes the sums before each chunk, after counting. `pixels` is an upper limit of the number of counted pixels.
  /// All threads must call this function together.
  __device__ void sum_chunks(int bins, std::int64_t pixels) {
    __syncthreads();
    const int chunk = static_cast<int>(threadIdx.x);
    HistogramSums own{};
    if (chunk < chunks(bins))
      own = pixels <= most_in_32_bits ? of_chunk<std::uint32_t>(chunk) : of_chunk<std::uint64_t>(chunk);
    HistogramSums before, total;
    Scan(scratch_).ExclusiveScan(
        own, before, HistogramSums{}, [](const HistogramSums& a, const HistogramSums& b) { return a + b; }, total);
    __syncthreads();  // `before_`, which shares memory with `scratch_`, may now be written
    before_[chunk] = before;
    if (chunk == 0) before_[most_chunks] = total;
    __syncthreads();
  }

  /// Does the kappa-sigma clip of the histogram. One warp calls this function; all lanes get the result.
  __device__ HistogramClip clip(int bins, double kappa) const {
    return before_[most_chunks].count <= most_in_32_bits ? clip_in<std::uint32_t>(bins, kappa)
                                                         : clip_in<std::uint64_t>(bins, kappa);
  }

  /// The same, with the median spread over a step if `estimator` asks for that.
  __device__ HistogramClip clip(int bins, double kappa, BackgroundEstimator estimator) const {
    HistogramClip found = clip(bins, kappa);
    if (spreads_median(found, estimator))
      found.median = spread_median(found, next_bin(found.middle.bin, -1, bins), next_bin(found.middle.bin, 1, bins));
    return found;
  }

 private:
  static constexpr int chunk_bins = 16;
  static constexpr int most_chunks = most_mesh_bins / chunk_bins;
  static_assert(most_chunks == block_threads);
  using Scan = cub::BlockScan<HistogramSums, block_threads>;

  __device__ static int chunks(int bins) { return (bins + chunk_bins - 1) / chunk_bins; }

  /// Sums over bins of a chunk, whose first bin has number 0 for this purpose. Squares of the bin numbers are below
  /// 2^8, so 2^24 pixels fit into 32-bit sums.
  template <class Sum>
  struct Within {
    Sum count, first, second;
  };
  static constexpr std::int64_t most_in_32_bits = std::int64_t{1} << 24;

  template <class Sum>
  __device__ static Within<Sum> of_bin(std::uint32_t in_chunk, Sum count) {
    return {count, count * in_chunk, count * (in_chunk * in_chunk)};
  }

  /// Converts sums with bins numbered from the chunk's first bin to sums with bins numbered from the histogram's first
  /// bin.
  template <class Sum>
  __device__ static HistogramSums from_bin_0(int chunk, const Within<Sum>& sums) {
    const std::int64_t begin = chunk * chunk_bins, count = sums.count, first = sums.first, second = sums.second;
    return {count, begin * count + first, begin * (begin * count + 2 * first) + second};
  }

  template <class Sum>
  __device__ HistogramSums of_chunk(int chunk) const {
    Within<Sum> sums{};
#pragma unroll
    for (int k = 0; k < chunk_bins; ++k) {
      // Each lane begins at another bin of its chunk. If all began at bin 0, all lanes would read from the same two
      // memory banks.
      const auto bin = static_cast<std::uint32_t>((k + chunk / 2) % chunk_bins);
      const auto [count, first, second] = of_bin<Sum>(bin, counts_[chunk * chunk_bins + static_cast<int>(bin)]);
      sums.count += count;
      sums.first += first;
      sums.second += second;
    }
    return from_bin_0(chunk, sums);
  }

  template <class Sum>
  __device__ HistogramClip clip_in(int bins, double kappa) const {
    HistogramClip clip(bins);
    while (clip.goes_on()) {
      std::int64_t before;
      const HistogramSums kept = kept_sums<Sum>(clip.low, clip.high + 1, before);
      clip.set_sums(kept);
      clip.middle = kept.count > 0 ? find_middle(clip.low, before, kept.count) : MedianBin{};
      const auto in_bin = [&](int bin) { return std::int64_t{counts_[bin]}; };
      clip.clip(kept.count > 0 ? histogram_median(clip.middle, in_bin) : 0, kappa, bins);
    }
    return clip;
  }

  /// The next bin that has pixels after `bin` in the direction `step` (1 or -1); `bin` if there is none.
  __device__ int next_bin(int bin, int step, int bins) const {
    for (int distance = 1; distance < bins; distance += warp_size) {
      const int at = bin + step * (distance + lane());
      const unsigned int filled = __ballot_sync(all_lanes, at >= 0 && at < bins && counts_[at] > 0);
      if (filled != 0) return bin + step * (distance + __ffs(static_cast<int>(filled)) - 1);
    }
    return bin;
  }

  /// Returns the sums over bins low to high - 1. `before` becomes the number of pixels in earlier bins. Each half of
  /// the warp computes the sums before one of the two ends.
  template <class Sum>
  __device__ HistogramSums kept_sums(int low, int high, std::int64_t& before) const {
    const bool of_low = lane() < 16;
    const int end = of_low ? low : high, chunk = end / chunk_bins, in_chunk = lane() % 16;
    const bool counts = chunk * chunk_bins + in_chunk < end;
    Within<Sum> own =
        of_bin<Sum>(static_cast<std::uint32_t>(in_chunk), counts ? counts_[chunk * chunk_bins + in_chunk] : 0);
#pragma unroll
    for (int step = 8; step > 0; step /= 2) {
      own.count += __shfl_xor_sync(all_lanes, own.count, step);
      own.first += __shfl_xor_sync(all_lanes, own.first, step);
      own.second += __shfl_xor_sync(all_lanes, own.second, step);
    }
    const HistogramSums here = before_[chunk] + from_bin_0(chunk, own);
    const HistogramSums there{__shfl_xor_sync(all_lanes, here.count, 16), __shfl_xor_sync(all_lanes, here.first, 16),
                              __shfl_xor_sync(all_lanes, here.second, 16)};
    before = of_low ? here.count : there.count;
    return of_low ? there - here : here - there;
  }

  /// Returns the last chunk before which less than half of `count` pixels lie. The first `before` pixels of the
  /// histogram do not count.
  __device__ int chunk_of_median(std::int64_t before, std::int64_t count) const {
    int chunks = 0;
#pragma unroll
    for (int k = 0; k < most_chunks / warp_size; ++k) {
      const bool less = 2 * (before_[k * warp_size + lane()].count - before) < count;
      chunks += __popc(__ballot_sync(all_lanes, less));
    }
    return chunks - 1;
  }

  /// Returns the bin of the median of the `count` pixels (at least one) in the bins from `low` on; `before` pixels are
  /// in earlier bins.
  __device__ MedianBin find_middle(int low, std::int64_t before, std::int64_t count) const {
    const int chunk = chunk_of_median(before, count);
    const int bin = chunk * chunk_bins + lane();
    const std::int64_t here = lane() < chunk_bins && bin >= low ? counts_[bin] : 0;
    const std::int64_t start = max(before_[chunk].count - before, std::int64_t{0});
    const std::int64_t through = start + running_sum_of_warp(here);
    const int first = __ffs(static_cast<int>(__ballot_sync(all_lanes, 2 * through >= count))) - 1;
    const std::int64_t before_middle = __shfl_sync(all_lanes, through - here, first);
    const int middle = chunk * chunk_bins + first;
    return {middle, before_middle, std::int64_t{counts_[middle]}, count};
  }

  std::uint32_t counts_[most_mesh_bins];
  union {
    HistogramSums before_[most_chunks + 1];
    typename Scan::TempStorage scratch_;  // scratch memory of the scan that computes `before_`
  };
};

}  // namespace srcextract
