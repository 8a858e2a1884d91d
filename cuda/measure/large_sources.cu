#include "cuda/measure/measured_runs.hpp"

#include <cooperative_groups.h>

#include <cub/block/block_scan.cuh>

namespace srcextract {

namespace {

/// The groups of all large sources. A group is the set of up to ordered_group consecutive runs, or of sums, that the
/// ordered sum (stages/math/ordered_sum.hpp) adds first. Groups of one source are consecutive.
struct Groups {
  std::uint32_t* large;  ///< for each group: index of its source in the list of large sources
  SourceSums* sums;

  /// Returns an upper limit of the number of groups of sources with `runs` runs in total. The worst case is sources of
  /// ordered_group + 1 runs, which have two groups each.
  static std::int64_t room_for(std::int64_t runs) { return 2 * runs / (ordered_group + 1) + 1; }
};

/// A run (consecutive pixels of a row) of a large source, with the counter for the source's runs in that row.
struct LargeMember {
  Member member;
  LargeSource* source = nullptr;         ///< null if the run does not belong to a large source
  std::uint32_t* row = nullptr;          ///< counter of the source's runs in this row
  std::uint32_t key = SourceRuns::none;  ///< equal for runs with the same counter

  /// Sets the members for run i. If i >= end, or if the run's source is not large, the object stays empty.
  __device__ LargeMember(const SourceRuns& all, std::int64_t i, std::int64_t end) {
    const std::uint32_t index = i < end ? all.source_of(i) : all.none;
    if (index == all.none) return;
    const SourcePlace place = all.places[index];
    if (!place.is_large()) return;
    member = {all.runs[i], index};
    source = all.large + place.place;
    // A connected source has at least one run in each row from its first to its last, so it has at most as many rows as
    // runs. Hence one counter per run suffices, and row y uses counter y % runs. The counters of a scattered source are
    // meaningless.
    key = source->begin + static_cast<std::uint32_t>(member.run.y) % source->runs;
    row = all.numbers + key;
  }

  __device__ void leave_out_if_scattered() {
    if (source == nullptr || !source->is_scattered()) return;
    row = nullptr;
    key = SourceRuns::none;
  }
};

__device__ void clear_rows(const SourceRuns& all) {
  const std::int64_t room = all.items.room;
  for (std::int64_t i = room - all.totals->large_runs + thread_index(); i < room; i += thread_total()) {
    all.numbers[i] = 0;
  }
}

/// Lowers `least` to `value`. Compares with a plain load first, since atomic operations on one address wait for each
/// other, but loads do not.
__device__ void lower(std::int32_t* least, std::int32_t value) {
  if (value < __ldcg(least)) atomicMin(least, value);
}
__device__ void raise(std::int32_t* most, std::int32_t value) {
  if (value > __ldcg(most)) atomicMax(most, value);
}

/// Counts the runs in every row of every large source, and finds the bounding box of the source's pixels. Of a
/// scattered source it finds the first and the last row only, since runs of several rows share a counter there;
/// place_scattered() finds the columns.
__device__ void count_rows(const SourceRuns& all) {
  const std::int64_t count = all.items();
  for (std::int64_t i = thread_index(); i - threadIdx.x % 32 < count; i += thread_total()) {
    const LargeMember own(all, i, count);
    if (!__any_sync(all_lanes, own.row != nullptr)) continue;
    const Peers in_row(own.key);
    in_row.count_up(own.row);
    if (own.row == nullptr) continue;
    const Run& run = own.member.run;
    Extent& extent = own.source->extent;
    if (in_row.is_first()) {
      lower(&extent.xmin, run.begin);
      lower(&extent.ymin, run.y);
    }
    if (in_row.is_last()) {
      raise(&extent.xmax, run.end - 1);
      raise(&extent.ymax, run.y);
    }
  }
}

using Scan = cub::BlockScan<std::uint32_t, block_threads>;

/// Writes the runs of a scattered source to the source's range in all.members, and completes the bounding box. The
/// block searches all runs in the source's rows.
__device__ void place_scattered(const SourceRuns& all, const LargeSource& source, Extent& extent,
                                Scan::TempStorage& scratch) {
  const std::int64_t end = min(all.row_begin[source.extent.ymax + 1], all.items());
  std::uint32_t place = source.begin;
  for (std::int64_t first = all.row_begin[source.extent.ymin]; first < end; first += block_threads) {
    const std::int64_t i = first + threadIdx.x;
    const bool own = i < end && all.source_of(i) == source.source;
    std::uint32_t before, sum;
    Scan(scratch).ExclusiveSum(own ? 1u : 0u, before, sum);
    if (own) {
      const Run run = all.runs[i];
      all.members[place + before] = {run, source.source};
      lower(&extent.xmin, run.begin);
      raise(&extent.xmax, run.end - 1);
    }
    place += sum;
    __syncthreads();  // the next iteration overwrites `scratch`
  }
}

/// Converts the number of runs in each row to the index in all.members at which the row's runs begin. Also sets
/// Groups::large. A block handles one source at a time.
__device__ void place_rows(const SourceRuns& all, const Groups& groups) {
  __shared__ typename Scan::TempStorage scratch;
  for (std::uint32_t k = blockIdx.x; k < all.totals->large_sources; k += gridDim.x) {
    const LargeSource source = all.large[k];
    for (std::uint32_t g = threadIdx.x; g < source.groups(); g += block_threads)
      groups.large[source.first_group + g] = k;
    if (source.is_scattered()) {
      place_scattered(all, source, all.large[k].extent, scratch);
      continue;
    }
    const auto end = static_cast<std::uint32_t>(source.extent.ymax) + 1;
    std::uint32_t place = source.begin;
    for (auto first = static_cast<std::uint32_t>(source.extent.ymin); first < end; first += block_threads) {
      const std::uint32_t y = first + threadIdx.x;
      std::uint32_t* row = all.numbers + source.begin + y % source.runs;
      std::uint32_t before, sum;
      Scan(scratch).ExclusiveSum(y < end ? *row : 0, before, sum);
      if (y < end) *row = place + before;
      place += sum;
      __syncthreads();  // the next iteration overwrites `scratch`
    }
  }
}

/// Writes the runs of large sources, except scattered sources, to all.members in raster order. Each warp handles one
/// image row at a time, from left to right.
__device__ void place_members(const SourceRuns& all) {
  const std::int64_t count = all.items();
  for (std::int64_t y = thread_index() / 32; y < all.height; y += thread_total() / 32) {
    const std::int64_t end = min(all.row_begin[y + 1], count);
    for (std::int64_t first = all.row_begin[y]; first < end; first += 32) {
      LargeMember own(all, first + threadIdx.x % 32, end);
      own.leave_out_if_scattered();
      if (!__any_sync(all_lanes, own.row != nullptr)) continue;
      const std::uint32_t place = Peers(own.key).count_up(own.row);
      if (own.row != nullptr) all.members[place] = own.member;
    }
  }
}

/// Measures all runs of each group, and adds up each group. A block handles at most as many groups as it has threads
/// for their runs; fewer if some blocks would else be idle.
__device__ void sum_groups(const SourceRuns& all, const MeasuredImage& image, const Groups& groups) {
  __shared__ RunTile tile;
  constexpr std::uint32_t most = block_threads / ordered_group;
  const RunMeasurer measurer(image);
  const std::uint32_t count = all.totals->large_groups;
  const std::uint32_t together = min((count + gridDim.x - 1) / gridDim.x, most);
  for (std::uint32_t first = blockIdx.x * together; first < count; first += gridDim.x * together) {
    const std::uint32_t end = min(first + together, count);
    const std::uint32_t own_group = first + threadIdx.x / ordered_group;
    LargeSource source{};
    std::uint32_t run = 0;
    if (own_group < end) {
      source = all.large[groups.large[own_group]];
      run = (own_group - source.first_group) * ordered_group + threadIdx.x % ordered_group;
    }
    const bool has_run = run < source.runs;
    const Run own = has_run ? all.members[source.begin + run].run : Run{};
    __syncthreads();  // all threads have finished reading the previous tile
    if (threadIdx.x == 0) tile.clear();
    __syncthreads();
    measurer.measure(tile, has_run, own, source.extent, static_cast<int>(threadIdx.x));
    if (own_group >= end || threadIdx.x % ordered_group != 0) continue;
    const std::uint32_t runs = min(source.runs - run, static_cast<std::uint32_t>(ordered_group));
    groups.sums[own_group] = tile.sum(static_cast<int>(threadIdx.x), static_cast<int>(runs), source.extent);
  }
}

/// Does one level of the ordered sum. Every group whose index within its source is a multiple of ordered_group * stride
/// adds the sums of the groups `stride`, 2 stride, ... further on. When one group of a source remains, its sums are
/// stored in `sums`.
__device__ void ordered_level(const SourceRuns& all, const Groups& groups, std::uint32_t stride, SourceSums* sums) {
  const std::uint32_t count = all.totals->large_groups;
  for (auto g = static_cast<std::uint32_t>(thread_index()); g < count;
       g += static_cast<std::uint32_t>(thread_total())) {
    const LargeSource& source = all.large[groups.large[g]];
    const std::uint32_t index = g - source.first_group;
    if (stride >= source.groups() || index % (ordered_group * stride) != 0) continue;
    const std::uint32_t further = min(ordered_group * stride, source.groups() - index);
    SourceSums total = groups.sums[g];
    for (std::uint32_t k = stride; k < further; k += stride) add(total, groups.sums[g + k]);
    (ordered_group * stride < source.groups() ? groups.sums[g] : sums[source.source]) = total;
  }
}

/// Does all steps in one cooperative launch, with a barrier of all blocks after every step.
__global__ void __launch_bounds__(block_threads, 3)
    measure_large_sources_kernel(SourceRuns all, MeasuredImage image, Groups groups, SourceSums* sums) {
  if (all.totals->large_sources == 0) return;
  const auto grid = cooperative_groups::this_grid();
  clear_rows(all);
  grid.sync();
  count_rows(all);
  grid.sync();
  place_rows(all, groups);
  grid.sync();
  place_members(all);
  grid.sync();
  sum_groups(all, image, groups);
  for (std::uint32_t stride = 1; stride < all.totals->large_groups; stride *= ordered_group) {
    grid.sync();
    ordered_level(all, groups, stride, sums);
  }
}

/// Returns the number of blocks that the device runs at the same time, as a cooperative launch requires.
unsigned int resident_blocks(const Gpu& where) {
  int per_processor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, measure_large_sources_kernel, block_threads, 0));
  return static_cast<unsigned int>(where.multiprocessors * per_processor);
}

}  // namespace

void measure_large_sources(const SourceRuns& all, const MeasuredImage& image, SourceSums* sums, const Gpu& where) {
  const std::int64_t room = Groups::room_for(all.items.room);
  Buffer<std::uint32_t, Gpu> large(room, where);
  Buffer<SourceSums, Gpu> group_sums(room, where);
  SourceRuns runs = all;
  MeasuredImage measured = image;
  Groups groups{large.data(), group_sums.data()};
  void* arguments[] = {&runs, &measured, &groups, &sums};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(measure_large_sources_kernel),
                                    dim3(std::min(resident_blocks(where), blocks_for(all.items.room))),
                                    dim3(block_threads), arguments, 0, where.stream));
}

}  // namespace srcextract
