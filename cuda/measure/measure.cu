#include "stages/measure/measure.hpp"

#include "cuda/device/store_warp.hpp"
#include "cuda/measure/measured_runs.hpp"

namespace srcextract {

namespace {

/// Number of members (runs ordered by source) from which a block takes sources at a time: small sources whose first run
/// is among these members. Even with the remaining runs of the last source, the members are not more than the block's
/// threads.
constexpr int tile_members = block_threads - ordered_group;

/// Number of blocks that a multiprocessor should run at the same time.
constexpr int blocks_per_processor = 5;

/// The small sources that a block handles at a time, in shared memory; a small source has at most ordered_group runs.
struct SourceTile {
  struct Source {
    std::uint32_t index;
    int first, runs;  ///< index of its first run in `members`, and number of its runs
    Extent extent;
  };
  Member members[block_threads];
  RunTile runs;
  Source sources[tile_members];
  int source_count;
};

/// The bounding box of a source's pixels, and the number of the source's runs that precede a given run in raster order.
struct Surveyed {
  Extent extent;
  int before;
};

__device__ Surveyed survey(const Member* members, int count, const Run& run) {
  Surveyed found{{run.begin, run.end - 1, run.y, run.y}, 0};
  for (int k = 0; k < count; ++k) {
    const Run other = members[k].run;
    found.before += other.y < run.y || (other.y == run.y && other.begin < run.begin) ? 1 : 0;
    found.extent = {min(found.extent.xmin, other.begin), max(found.extent.xmax, other.end - 1),
                    min(found.extent.ymin, other.y), max(found.extent.ymax, other.y)};
  }
  return found;
}

/// Adds up the runs of each source in a tile, one source per thread. All lanes of a warp must call this function
/// together. Not inlined, to save registers: in most tiles only one warp calls this function.
__device__ __noinline__ void add_sources(const SourceTile& tile, SourceSums* sums) {
  const bool adds = static_cast<int>(threadIdx.x) < tile.source_count;
  SourceSums total;
  SourceSums* to = nullptr;
  if (adds) {
    const SourceTile::Source& of = tile.sources[threadIdx.x];
    total = tile.runs.sum(of.first, of.runs, of.extent);
    to = sums + of.index;
  }
  store_warp(to, total, adds);
}

/// Sums the pixels of small sources. Each thread first measures one run, then adds up the runs of one source.
__global__ void __launch_bounds__(block_threads, blocks_per_processor)
    measure_small_sources_kernel(SourceRuns all, MeasuredImage image, SourceSums* sums) {
  __shared__ SourceTile tile;
  const RunMeasurer measurer(image);
  const std::int64_t count = all.totals->small_runs;
  for (std::int64_t first = blockIdx.x * tile_members; first < count; first += gridDim.x * tile_members) {
    const std::int64_t i = first + threadIdx.x;
    Member own{};
    SourcePlace source{};
    if (i < count) {
      own = all.members[i];
      measurer.fetch(own.run);
      source = all.places[own.source];
    }
    const std::int64_t begin = source.place - first;
    const bool has_run = i < count && begin >= 0 && begin < tile_members;
    __syncthreads();  // all threads have finished reading the previous tile
    tile.members[threadIdx.x] = own;
    if (threadIdx.x == 0) {
      tile.runs.clear();
      tile.source_count = 0;
    }
    __syncthreads();
    Surveyed found{};
    if (has_run) {
      found = survey(tile.members + begin, static_cast<int>(source.runs), own.run);
      if (found.before == 0) {
        tile.sources[atomicAdd(&tile.source_count, 1)] = {own.source, static_cast<int>(begin),
                                                          static_cast<int>(source.runs), found.extent};
      }
    }
    measurer.measure(tile.runs, has_run, own.run, found.extent, static_cast<int>(begin) + found.before);
    if (static_cast<int>(threadIdx.x / 32 * 32) < tile.source_count) add_sources(tile, sums);
  }
}

}  // namespace

Buffer<SourceSums, Gpu> measure_sources(const Image<float, Gpu>& image, const Runs<Gpu>& runs,
                                        const Components<Gpu>& components, const Value<Levels, Gpu>& levels,
                                        const Value<MaskCounts, Gpu>& masked, const Gpu& where) {
  const std::int64_t room = runs.runs.size();
  if (room == 0) return {};
  const std::int64_t sources = Capacity::within(where.capacity.sources, room);
  const RunGatherer gatherer(runs, components, sources, where);
  const MeasuredImage measured{image.pixels.data(), image.shape.width, image.shape.height, levels.data(),
                               masked.data()};
  Buffer<SourceSums, Gpu> sums(sources, where);
  const std::int64_t tiles = (room + tile_members - 1) / tile_members;
  const std::int64_t blocks = std::min<std::int64_t>(tiles, where.multiprocessors * blocks_per_processor);
  measure_small_sources_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, where.stream>>>(
      gatherer.gathered(), measured, sums.data());
  check_launch();
  measure_large_sources(gatherer.gathered(), measured, sums.data(), where);
  return sums;
}

}  // namespace srcextract
