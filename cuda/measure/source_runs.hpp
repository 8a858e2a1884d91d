#pragma once

#include "cuda/device/launch.hpp"
#include "stages/detect/label.hpp"
#include "stages/math/ordered_sum.hpp"
#include "stages/measure/measure_run.hpp"

namespace srcextract {

/// A run and the source that it is a member of.
struct alignas(16) Member {
  Run run;
  std::uint32_t source;
};

/// A source whose runs are more than one group of the ordered sum (stages/math/ordered_sum.hpp), and more than one
/// block measures.
struct LargeSource {
  std::uint32_t source, runs;
  std::uint32_t begin;        ///< of its members
  std::uint32_t first_group;  ///< of its groups among those of all large sources
  Extent extent;              ///< contains nothing yet

  __device__ std::uint32_t groups() const { return (runs + ordered_group - 1) / ordered_group; }

  /// Once its extent is known: whether it leaves out so many rows that it has not a run for each, as a source that is
  /// not connected may, of those that were deblended.
  __device__ bool is_scattered() const { return extent.ymax - extent.ymin >= static_cast<std::int32_t>(runs); }
};

/// How many runs a source has, and where: the others have their members from `place` on, in any order; of a large
/// source `place` is that in the list of them.
struct alignas(8) SourcePlace {
  std::uint32_t runs, place;

  __device__ bool is_large() const { return runs > ordered_group; }
};

/// Of all sources together.
struct SourceTotals {
  std::uint32_t small_runs;  ///< of sources that are not large
  std::uint32_t large_runs, large_sources, large_groups;
};

/// The runs by source, for kernels. Members of small sources fill `members` from the front, those of large sources from
/// the back, which is left for others to write.
struct SourceRuns {
  static constexpr std::uint32_t none = 0xffffffffu;

  ItemCount items;    ///< runs
  ItemCount sources;  ///< that are measured
  std::int64_t height;
  const Run* runs;
  const std::int64_t* row_begin;
  const std::int32_t* label;
  SourceTotals* totals;
  SourcePlace* places;     ///< of the sources
  std::uint32_t* numbers;  ///< of the runs, among those of their source; one for every member, free once that is known
  Member* members;
  LargeSource* large;

  /// `none` if run i is of no source that is measured.
  __device__ std::uint32_t source_of(std::int64_t i) const {
    const std::int32_t l = label[i];
    return l > 0 && l <= sources.room ? static_cast<std::uint32_t>(l) - 1 : none;
  }
};

/// Brings the runs of every source together, and has the memory.
class RunGatherer {
 public:
  /// There is room for `sources`; those beyond are not measured.
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
