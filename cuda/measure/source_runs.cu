#include "cuda/measure/source_runs.hpp"

#include <cub/block/block_scan.cuh>

#include <limits>

#include "cuda/device/warp.hpp"

namespace srcextract {

namespace {

__global__ void clear_kernel(SourceRuns all) {
  const std::int64_t sources = all.sources();
  if (thread_index() == 0) *all.totals = {};
  for (std::int64_t i = thread_index(); i < sources; i += thread_total()) all.places[i] = {};
}

/// Counts the runs of every source, and numbers the runs of each source in the order of counting, which is arbitrary.
__global__ void count_runs_kernel(SourceRuns all) {
  const std::int64_t count = all.items();
  for (std::int64_t i = thread_index(); i - threadIdx.x % 32 < count; i += thread_total()) {
    const std::uint32_t source = i < count ? all.source_of(i) : all.none;
    const std::uint32_t number = Peers(source).count_up(source != all.none ? &all.places[source].runs : nullptr);
    if (i < count) all.numbers[i] = number;
  }
}

/// Appends a source to the list of large sources; returns its index in the list.
__device__ std::uint32_t list_large(const SourceRuns& all, std::int64_t source, std::uint32_t runs) {
  const std::uint32_t place = atomicAdd(&all.totals->large_sources, 1u);
  LargeSource large{static_cast<std::uint32_t>(source),
                    runs,
                    0,
                    0,
                    {std::numeric_limits<std::int32_t>::max(), -1, std::numeric_limits<std::int32_t>::max(), -1}};
  large.begin = static_cast<std::uint32_t>(all.items.room) - runs - atomicAdd(&all.totals->large_runs, runs);
  large.first_group = atomicAdd(&all.totals->large_groups, large.groups());
  all.large[place] = large;
  return place;
}

/// Number of consecutive sources that a thread handles at a time.
constexpr int thread_sources = 4;

/// Reserves a range of all.members for the runs of every source. The order of ranges depends on the order in which
/// blocks run, but does not affect any result.
__global__ void place_sources_kernel(SourceRuns all) {
  using Scan = cub::BlockScan<std::uint32_t, block_threads>;
  __shared__ typename Scan::TempStorage scratch;
  __shared__ std::uint32_t before_block;
  constexpr std::int64_t block_sources = block_threads * thread_sources;
  const std::int64_t sources = all.sources();
  for (std::int64_t first = blockIdx.x * block_sources; first < sources; first += gridDim.x * block_sources) {
    SourcePlace* own = all.places + first + threadIdx.x * thread_sources;
    SourcePlace place[thread_sources];
    std::uint32_t before[thread_sources];
    std::uint32_t sum;
    for (int k = 0; k < thread_sources; ++k) {
      place[k] = own + k < all.places + sources ? own[k] : SourcePlace{};
      before[k] = place[k].is_large() ? 0 : place[k].runs;
    }
    Scan(scratch).ExclusiveSum(before, before, sum);
    if (threadIdx.x == 0) before_block = atomicAdd(&all.totals->small_runs, sum);
    __syncthreads();
    for (int k = 0; k < thread_sources; ++k) {
      if (place[k].runs == 0) continue;
      own[k].place =
          place[k].is_large() ? list_large(all, own + k - all.places, place[k].runs) : before_block + before[k];
    }
    __syncthreads();  // the next iteration overwrites the shared memory
  }
}

/// Writes the runs of small sources to the ranges reserved in all.members.
__global__ void place_runs_kernel(SourceRuns all) {
  const std::int64_t count = all.items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const Run run = all.runs[i];
    const std::uint32_t number = all.numbers[i];
    const std::uint32_t source = all.source_of(i);
    if (source == all.none) continue;
    const SourcePlace of_source = all.places[source];
    if (!of_source.is_large()) all.members[of_source.place + number] = {run, source};
  }
}

}  // namespace

RunGatherer::RunGatherer(const Runs<Gpu>& runs, const Components<Gpu>& components, std::int64_t sources,
                         const Gpu& where)
    : totals_(where),
      places_(sources, where),
      numbers_(runs.runs.size(), where),
      members_(runs.runs.size(), where),
      large_(runs.runs.size() / (ordered_group + 1) + 1, where) {
  const std::int64_t room = runs.runs.size();
  gathered_ = {items_of(runs),        {&components.counts.data()->kept, sources},
               runs.shape.height,     runs.runs.data(),
               runs.row_begin.data(), components.label.data(),
               totals_.data(),        places_.data(),
               numbers_.data(),       members_.data(),
               large_.data()};
  const unsigned int for_runs = grid_for(room, where);
  clear_kernel<<<grid_for(sources, where), block_threads, 0, where.stream>>>(gathered_);
  check_launch();
  count_runs_kernel<<<for_runs, block_threads, 0, where.stream>>>(gathered_);
  check_launch();
  place_sources_kernel<<<grid_for((sources + thread_sources - 1) / thread_sources, where), block_threads, 0,
                         where.stream>>>(gathered_);
  check_launch();
  place_runs_kernel<<<for_runs, block_threads, 0, where.stream>>>(gathered_);
  check_launch();
}

}  // namespace srcextract
