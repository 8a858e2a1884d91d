#pragma once

#include "cuda/device/launch.hpp"
#include "stages/detect/label.hpp"
#include "stages/math/ordered_sum.hpp"
#include "stages/measure/measure_run.hpp"

namespace srcextract {

/// A run and its source.
struct alignas(16) Member {
  Run run;
  std::uint32_t source;
};

/// A source with more than ordered_group runs (stages/math/ordered_sum.hpp), which several blocks measure together.
struct LargeSource {
  std::uint32_t source, runs;
  std::uint32_t begin;        ///< index of its first run in SourceRuns::members
  std::uint32_t first_group;  ///< index of its first group among those of all large sources
  Extent extent;              ///< empty at first

  __device__ std::uint32_t groups() const { return (runs + ordered_group - 1) / ordered_group; }

  /// Whether the source has fewer runs than rows, so that some row has no run; deblended sources need not be connected.
  /// The extent must be known.
  __device__ bool is_scattered() const { return extent.ymax - extent.ymin >= static_cast<std::int32_t>(runs); }
};

/// The number of a source's runs, and where they are. For a small source, `place` is the index of its first run in
/// SourceRuns::members, where its runs are in any order. For a large source it is the index in the list of large
/// sources.
struct alignas(8) SourcePlace {
  std::uint32_t runs, place;

  __device__ bool is_large() const { return runs > ordered_group; }
};

/// Totals over all sources.
struct SourceTotals {
  std::uint32_t small_runs;  ///< runs of small sources
  std::uint32_t large_runs, large_sources, large_groups;
};

/// The runs ordered by source, for kernels. Runs of small sources fill `members` from the front, runs of large sources
/// from the back. Later kernels write those at the back.
struct SourceRuns {
  static constexpr std::uint32_t none = 0xffffffffu;

  ItemCount items;    ///< number of runs
  ItemCount sources;  ///< number of measured sources
  std::int64_t height;
  const Run* runs;
  const std::int64_t* row_begin;
  const std::int32_t* label;
  SourceTotals* totals;
  SourcePlace* places;     ///< per source
  std::uint32_t* numbers;  ///< number of each run within its source; reused once `members` has the small sources
  Member* members;
  LargeSource* large;

  /// Index of the source of run i; `none` if the source is not measured.
  __device__ std::uint32_t source_of(std::int64_t i) const {
    const std::int32_t l = label[i];
    return l > 0 && l <= sources.room ? static_cast<std::uint32_t>(l) - 1 : none;
  }
};

/// Orders the runs by source, and holds the memory of the result.
class RunGatherer {
 public:
  /// `sources`: for how many sources there is room; further ones are not measured.
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
