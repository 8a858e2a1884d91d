#pragma once

#include "cuda/device/launch.hpp"
#include "stages/detect/label.hpp"
#include "stages/math/ordered_sum.hpp"
#include "stages/measure/measure_run.hpp"

namespace srcextract {

/// A run (consecutive pixels of a row) and the index of its source.
struct alignas(16) Member {
  Run run;
  std::uint32_t source;
};

/// A source with more than ordered_group runs (stages/math/ordered_sum.hpp), so that several blocks measure it
/// together.
struct LargeSource {
  std::uint32_t source, runs;
  std::uint32_t begin;        ///< index in SourceRuns::members of its first run
  std::uint32_t first_group;  ///< index of its first group of runs among the groups of all large sources
  Extent extent;              ///< bounding box of its pixels; empty until the runs have been counted

  __device__ std::uint32_t groups() const { return (runs + ordered_group - 1) / ordered_group; }

  /// Whether the source has fewer runs than rows, so that some row has no run. Possible since deblended sources need
  /// not be connected. `extent` must be known.
  __device__ bool is_scattered() const { return extent.ymax - extent.ymin >= static_cast<std::int32_t>(runs); }
};

/// The number of a source's runs, and their location. For a small source, `place` is the index of its first run in
/// SourceRuns::members, where the source's runs are in any order. For a large source, `place` is the index in the list
/// of large sources.
struct alignas(8) SourcePlace {
  std::uint32_t runs, place;

  __device__ bool is_large() const { return runs > ordered_group; }
};

struct SourceTotals {
  std::uint32_t small_runs;  ///< number of runs of all small sources
  std::uint32_t large_runs, large_sources, large_groups;
};

/// All runs ordered by source, as kernels read and write them. Runs of small sources fill `members` from the front;
/// runs of large sources fill it from the back, in later kernels (large_sources.cu).
struct SourceRuns {
  static constexpr std::uint32_t none = 0xffffffffu;

  ItemCount items;    ///< number of runs
  ItemCount sources;  ///< number of sources to measure
  std::int64_t height;
  const Run* runs;
  const std::int64_t* row_begin;
  const std::int32_t* label;
  SourceTotals* totals;
  SourcePlace* places;  ///< one element per source
  /// number of each run within its source; other use after place_runs_kernel (large_sources.cu)
  std::uint32_t* numbers;
  Member* members;
  LargeSource* large;

  /// Returns the index of the source of run i; `none` if the run's source is not measured.
  __device__ std::uint32_t source_of(std::int64_t i) const {
    const std::int32_t l = label[i];
    return l > 0 && l <= sources.room ? static_cast<std::uint32_t>(l) - 1 : none;
  }
};

/// Orders the runs by source, and owns the memory of the result.
class RunGatherer {
 public:
  /// `sources` is the number of sources that the buffers hold; further sources are not measured.
  RunGatherer(const Runs<Gpu>& runs, const Components<Gpu>& components, std::int64_t sources, const Gpu& where);

  const SourceRuns& gathered() const { return gathered_; }

 private:
  Value<SourceTotals, Gpu> totals_;
  Buffer<SourcePlace, Gpu> places_;
  Buffer<std::uint32_t, Gpu> numbers_;
  Buffer<Member, Gpu> members_;
  Buffer<LargeSource, Gpu> large_;
  SourceRuns gathered_;
};

}  // namespace srcextract
