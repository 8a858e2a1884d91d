#pragma once

#include "cuda/device/warp.hpp"
#include "cuda/measure/source_runs.hpp"
#include "stages/measure/measure_run.hpp"

namespace srcextract {

/// Sums over the pixels of one run (consecutive pixels of a row), without reference to the source's other runs.
struct MeasuredRun {
  RunSums along;
  std::int32_t y;
  std::uint32_t npix : 31;  ///< number of pixels, at most the width of an image
  std::uint32_t near_masked : 1;

  __device__ SourceSums added(const Extent& extent) const {
    SourceSums sums = sums_of_run(along, y, static_cast<std::int32_t>(npix), extent);
    sums.near_masked = static_cast<std::int32_t>(near_masked);
    return sums;
  }
};

/// Runs that the threads of a block measure together, and the sums over each run, in shared memory.
class RunTile {
 public:
  /// Empties the tile. One thread must call this function before any run is measured.
  __device__ void clear() { long_count_ = 0; }

  /// Adds up one group of the ordered sum: `count` measured runs, in their order, from index `first` on.
  __device__ SourceSums sum(int first, int count, const Extent& extent) const {
    SourceSums total = places_[first].measured.added(extent);
#pragma unroll 2
    for (int k = first + 1; k < first + count; ++k) add(total, places_[k].measured.added(extent));
    return total;
  }

 private:
  friend class RunMeasurer;

  /// A run of more than ordered_group pixels (stages/math/ordered_sum.hpp) that a warp will measure.
  struct LongRun {
    Run run;
    Extent extent;
  };
  union {
    LongRun waiting;
    MeasuredRun measured;
  } places_[block_threads];
  int long_runs_[block_threads];  ///< indices in places_ of the long runs, in any order
  int long_count_;
};

/// The image to measure, as kernels read it.
struct MeasuredImage {
  const float* pixels;
  std::int64_t width, height;
  const Levels* levels;
  const MaskCounts* masked;
};

class RunMeasurer {
 public:
  __device__ explicit RunMeasurer(const MeasuredImage& image)
      : pixels_(image.pixels),
        width_(image.width),
        height_(image.height),
        background_(image.levels->background),
        any_masked_(image.masked->total() > 0) {}

  /// Prefetches the first and last pixel of a run into the L2 cache.
  __device__ void fetch(const Run& run) const {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(row(run) + run.begin));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(row(run) + run.end - 1));
  }

  /// Measures one run for each thread with `has_run`, and stores the sums at index `place` of the tile, which must be
  /// empty. All threads of the block must call this function together. All runs are measured when the function returns.
  __device__ void measure(RunTile& tile, bool has_run, const Run& run, const Extent& extent, int place) const {
    if (has_run) {
      if (run.end - run.begin <= ordered_group) {
        tile.places_[place].measured = measure_short(run, extent);
      } else {
        tile.places_[place].waiting = {run, extent};
        tile.long_runs_[atomicAdd(&tile.long_count_, 1)] = place;
      }
    }
    __syncthreads();
    if (tile.long_count_ > 0) measure_long_runs(*this, tile);
  }

 private:
  __device__ const float* row(const Run& run) const { return pixels_ + run.y * width_; }

  __device__ static MeasuredRun gather(const RunSums& along, const Run& run, bool near_masked) {
    return {along, run.y, static_cast<std::uint32_t>(run.end - run.begin), near_masked ? 1u : 0u};
  }

  __device__ MeasuredRun measure_short(const Run& run, const Extent& extent) const {
    const RunSums along = sum_pixels(row(run), run, 0, run.end - run.begin, extent, background_);
    return gather(along, run, any_masked_ && finds_masked(run, 0, 1));
  }

  /// Measures the long runs of a tile, one per warp at a time. Not inlined, to save registers: few tiles have long
  /// runs.
  __device__ __noinline__ static void measure_long_runs(RunMeasurer measurer, RunTile& tile) {
    for (int k = static_cast<int>(threadIdx.x / 32); k < tile.long_count_; k += block_threads / 32) {
      const int place = tile.long_runs_[k];
      const RunTile::LongRun one = tile.places_[place].waiting;
      __syncwarp();  // all lanes have read `waiting`, which shares memory with `measured`
      const MeasuredRun measured = measurer.measure_long(one.run, one.extent);
      if (lane() == 0) tile.places_[place].measured = measured;
    }
    __syncthreads();
  }

  /// Measures one long run with all lanes of a warp; every lane gets the result.
  __device__ MeasuredRun measure_long(const Run& run, const Extent& extent) const {
    const RunSums along = sum_long(run, extent);
    const bool near_masked = any_masked_ && __any_sync(all_lanes, finds_masked(run, lane(), 32));
    return gather(along, run, near_masked);
  }

  /// Sums over a long run in groups of ordered_group pixels. Every lane sums one group; then every lane adds up the
  /// sums of all groups in order.
  __device__ RunSums sum_long(const Run& run, const Extent& extent) const {
    const std::int64_t npix = run.end - run.begin;
    return ordered_sum<RunSums>((npix + ordered_group - 1) / ordered_group, [&](std::int64_t first, std::int64_t last) {
      RunSums total{};
      for (std::int64_t round = first; round < last; round += 32) {
        const std::int64_t begin = (round + lane()) * ordered_group;
        RunSums own{};
        if (begin < npix) own = sum_pixels(row(run), run, begin, min(begin + ordered_group, npix), extent, background_);
        const int lanes = static_cast<int>(min(last - round, std::int64_t{32}));
        if (round == first) total = shuffle(own, 0);
        for (int k = round == first ? 1 : 0; k < lanes; ++k) add(total, shuffle(own, k));
      }
      return total;
    });
  }

  /// Returns the sums of another lane. The structured binding lists all members: if RunSums gets a new member, this
  /// function no longer compiles, so the member cannot be forgotten.
  __device__ static RunSums shuffle(const RunSums& sums, int lane) {
    const auto& [v, vx, vxx, peak, xpeak] = sums;
    return {__shfl_sync(all_lanes, v, lane), __shfl_sync(all_lanes, vx, lane), __shfl_sync(all_lanes, vxx, lane),
            __shfl_sync(all_lanes, peak, lane), __shfl_sync(all_lanes, xpeak, lane)};
  }

  /// Whether any of the run's pixels or their neighbours is masked. `first` is this lane's index; each of `lanes` lanes
  /// tests every lanes-th column.
  __device__ bool finds_masked(const Run& run, int first, int lanes) const {
    const PixelBox box = surroundings(run, width_, height_);
    bool found = false;
    for (std::int64_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int64_t x = box.x_begin + first; x < box.x_end; x += lanes) {
        const float pixel = pixels_[y * width_ + x];
        found |= pixel != pixel;
      }
    }
    return found;
  }

  const float* pixels_;
  std::int64_t width_, height_;
  double background_;
  bool any_masked_;
};

/// Sums the pixels of large sources, which have more than ordered_group runs (consecutive pixels of a row). All blocks
/// work together on every source. Costs almost no time if there are no large sources.
void measure_large_sources(const SourceRuns& all, const MeasuredImage& image, SourceSums* sums, const Gpu& where);

}  // namespace srcextract
