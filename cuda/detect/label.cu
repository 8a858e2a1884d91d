#include "stages/detect/label.hpp"

#include "cuda/detect/forest.hpp"
#include "cuda/device/look_back.hpp"
#include "stages/detect/adjacency.hpp"
#include "stages/detect/run_search.hpp"

namespace srcextract {

namespace {

using Area = unsigned long long;  // the only unsigned 64-bit type that atomicAdd accepts

/// Runs (consecutive foreground pixels of a row), and the union-find trees that join runs into components.
struct RunForest {
  ItemCount items;
  const Run* runs;
  const std::int64_t* row_begin;
  std::int32_t reach;
  std::uint32_t* parent;
  Area* area;           ///< for each root: number of pixels of its tree; null if components of any size are kept
  std::uint32_t* seed;  ///< for each root: 1 if its tree contains a seed; null if components need no seed
  /// before a run has its label: ~(index of the second run in the row above that touches it), or ~0
  std::int32_t* label;
};

/// Makes every run the child of the first run in the row above that touches it; without such a run, a root. Threads do
/// not depend on each other. Also initialises the memory of later kernels.
__global__ void plant_kernel(RunForest forest, LookBack tiles, std::int64_t tile_room, ComponentCounts* counts) {
  tiles.clear(tile_room);
  if (thread_index() == 0) *counts = {};
  const std::int64_t count = forest.items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const Run run = forest.runs[i];
    auto parent = static_cast<std::uint32_t>(i);
    std::uint32_t second = 0;  // 0: none; run 0 of the image has no earlier run, so it is never a second run
    if (run.y > 0) {
      const auto begin = static_cast<std::uint32_t>(forest.row_begin[run.y - 1]);
      const auto end = static_cast<std::uint32_t>(forest.row_begin[run.y]);
      const std::uint32_t above = first_not_before(forest.runs, begin, end, run, forest.reach);
      if (above < end && touch(forest.runs[above], run, forest.reach)) {
        parent = above;
        if (above + 1 < end && touch(forest.runs[above + 1], run, forest.reach)) second = above + 1;
      }
    }
    forest.parent[i] = parent;
    forest.label[i] = static_cast<std::int32_t>(~second);
    if (forest.area != nullptr) forest.area[i] = static_cast<Area>(run.end - run.begin);
    if (forest.seed != nullptr) forest.seed[i] = 0;
  }
}

/// Joins the tree of each run with the trees of all further runs in the row above that touch the run. First shortens
/// the path from every run to its root.
__global__ void join_kernel(RunForest forest) {
  const std::int64_t count = forest.items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    auto above = ~static_cast<std::uint32_t>(forest.label[i]);
    const std::uint32_t root = find_root(forest.parent, static_cast<std::uint32_t>(i));
    if (above == 0) continue;
    const Run run = forest.runs[i];
    const auto end = static_cast<std::uint32_t>(forest.row_begin[run.y]);
    for (; above < end && touch(forest.runs[above], run, forest.reach); ++above) join(forest.parent, root, above);
  }
}

/// Collects the pixels that a thread must still add to one root: the root that it meets most often (majority vote of
/// Boyer and Moore). If each run were added separately, all runs of a component that covers the image would wait for
/// the same counter.
struct CarriedArea {
  std::uint32_t root = 0;
  std::int64_t votes = 0;
  Area pixels = 0;

  __device__ void add(Area* area, std::uint32_t to, Area run_pixels) {
    if (votes == 0 && to != root) {
      if (pixels != 0) atomicAdd(&area[root], pixels);
      root = to;
      pixels = 0;
    }
    if (to == root) {
      pixels += run_pixels;
      ++votes;
    } else {
      atomicAdd(&area[to], run_pixels);
      --votes;
    }
  }

  /// Adds the pixels that the threads still hold to their roots. All threads of the warp must call this function
  /// together.
  __device__ void finish(Area* area) {
    const unsigned int holding = __ballot_sync(all_lanes, pixels != 0);
    if (holding == 0) return;
    const std::uint32_t one = __shfl_sync(all_lanes, root, __ffs(static_cast<int>(holding)) - 1);
    if (__all_sync(all_lanes, pixels == 0 || root == one)) {
      pixels = sum_of_warp(pixels);
      if (first_lane()) atomicAdd(&area[one], pixels);
    } else if (pixels != 0) {
      atomicAdd(&area[root], pixels);
    }
  }
};

/// Adds the number of pixels of each run to the root of its tree.
__global__ void add_areas_kernel(RunForest forest) {
  const std::int64_t count = forest.items();
  CarriedArea carried;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::uint32_t root = find_root(forest.parent, static_cast<std::uint32_t>(i));
    if (root == static_cast<std::uint64_t>(i)) continue;  // plant_kernel has counted the root's own pixels
    carried.add(forest.area, root, static_cast<Area>(forest.runs[i].end - forest.runs[i].begin));
  }
  carried.finish(forest.area);
}

/// Marks the trees that share a pixel with a seed. Runs that the list could not hold are in no tree.
__global__ void mark_seeded_kernel(RunForest forest, const Run* seeds, ItemCount seed_count) {
  const std::int64_t count = forest.items();
  const std::int64_t seeds_there = seed_count();
  for (std::int64_t i = thread_index(); i < seeds_there; i += thread_total()) {
    const Run seed = seeds[i];
    const auto begin = static_cast<std::uint32_t>(min(forest.row_begin[seed.y], count));
    const auto end = static_cast<std::uint32_t>(min(forest.row_begin[seed.y + 1], count));
    std::uint32_t run = first_not_before(forest.runs, begin, end, seed, 0);
    for (; run < end && touch(forest.runs[run], seed, 0); ++run) forest.seed[find_root(forest.parent, run)] = 1;
  }
}

/// Number of runs that a lane handles in a tile: tile_runs consecutive runs, which a block numbers together. The runs
/// of a lane are 32 apart.
constexpr int lane_runs = 4;
constexpr int tile_runs = block_threads * lane_runs;

/// Packs the numbers of kept and of found components into one word. Each number must be below 2^31.
__device__ std::uint64_t pack(unsigned int kept, unsigned int found) {
  return kept | static_cast<std::uint64_t>(found) << 31;
}
__device__ ComponentCounts unpack(std::uint64_t counts) {
  return {static_cast<std::int64_t>(counts & 0x7fffffffu), static_cast<std::int64_t>(counts >> 31)};
}

/// The runs of a tile that one lane handles, and their roots in the union-find forest.
class TileRoots {
 public:
  __device__ TileRoots(const RunForest& forest, Area min_area, std::int64_t tile, std::int64_t count) {
    const std::int64_t first = tile * tile_runs;
    const std::int64_t of_lane = first + threadIdx.x / 32 * (32 * lane_runs) + threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < lane_runs; ++k) {
      there_[k] = of_lane + 32 * k < count;
      run_[k] = static_cast<std::uint32_t>(there_[k] ? of_lane + 32 * k : first);
    }
    find_roots(forest.parent, run_, root_);
#pragma unroll
    for (int k = 0; k < lane_runs; ++k) {
      const bool found = is_root(k) && (forest.seed == nullptr || forest.seed[run_[k]] != 0);
      const bool kept = found && (forest.area == nullptr || forest.area[run_[k]] >= min_area);
      kept_[k] = __ballot_sync(all_lanes, kept);
      counts_ += pack(__popc(kept_[k]), __popc(__ballot_sync(all_lanes, found)));
    }
  }

  /// Returns the packed numbers of kept and found components whose roots are in the warp's part of the tile.
  __device__ std::uint64_t counts() const {
    return counts_;
  }

  /// Stores the labels of roots. `kept_before` is the number of kept roots before the first run of this warp.
  __device__ void label_roots(std::int32_t* label, std::int64_t kept_before) const {
    const unsigned int lane_bit = 1u << threadIdx.x % 32;
    auto number = static_cast<std::int32_t>(kept_before) + 1;
#pragma unroll
    for (int k = 0; k < lane_runs; ++k) {
      const int before = __popc(kept_[k] & (lane_bit - 1));
      if (is_root(k)) label[run_[k]] = (kept_[k] & lane_bit) != 0 ? number + before : 0;
      number += __popc(kept_[k]);
    }
  }

  /// Stores the labels of runs that are no roots: the labels of their roots. Waits until roots in earlier tiles have
  /// labels.
  __device__ void label_others(volatile std::int32_t* label) const {
    std::int32_t of_root[lane_runs];
#pragma unroll
    for (int k = 0; k < lane_runs; ++k) of_root[k] = label[root_[k]];
#pragma unroll
    for (int k = 0; k < lane_runs; ++k) {
      while (of_root[k] < 0) of_root[k] = label[root_[k]];
      if (there_[k] && !is_root(k)) label[run_[k]] = of_root[k];
    }
  }

 private:
  __device__ bool is_root(int k) const {
    return there_[k] && root_[k] == run_[k];
  }

  bool there_[lane_runs];
  std::uint32_t run_[lane_runs], root_[lane_runs];
  unsigned int kept_[lane_runs];  ///< for each run of a lane: bit l is set if the run of lane l is a kept root
  std::uint64_t counts_ = 0;
};

/// Labels all runs with the number of their component: the k-th kept root, from 1, has component number k. Runs of
/// components that are not kept get 0.
__global__ void number_kernel(RunForest forest, Area min_area, LookBack tiles, ComponentCounts* counts) {
  __shared__ std::uint64_t of_warp[block_threads / 32];
  __shared__ std::uint64_t before_tile;
  const std::int64_t count = forest.items();
  const std::int64_t warp = threadIdx.x / 32;
  for (std::int64_t tile = tiles.take(); tile * tile_runs < count; tile = tiles.take()) {
    const TileRoots roots(forest, min_area, tile, count);
    of_warp[warp] = roots.counts();
    __syncthreads();
    if (warp == 0) {
      std::uint64_t sum = 0;
      for (const std::uint64_t part : of_warp) sum += part;
      const std::uint64_t before = tiles.sum_before(tile, sum);
      before_tile = before;
      if (threadIdx.x == 0 && (tile + 1) * tile_runs >= count) *counts = unpack(before + sum);
    }
    __syncthreads();
    std::uint64_t before = before_tile;
    for (int i = 0; i < warp; ++i) before += of_warp[i];
    roots.label_roots(forest.label, unpack(before).kept);
    __syncthreads();
    roots.label_others(forest.label);
  }
}

}  // namespace

Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where,
                                 const Runs<Gpu>* seeds) {
  const std::int64_t room = runs.runs.size();
  const std::int64_t tile_room = (room + tile_runs - 1) / tile_runs;
  Components<Gpu> components{{room, where}, Value<ComponentCounts, Gpu>(where)};
  Buffer<std::uint32_t, Gpu> parent(room, where);
  Buffer<Area, Gpu> area(config.min_area > 1 ? room : 0, where);
  Buffer<std::uint32_t, Gpu> seeded(seeds != nullptr ? room : 0, where);
  Buffer<std::uint64_t, Gpu> tile_words(LookBack::words_for(tile_room), where);
  const LookBack tiles(tile_words.data());
  const RunForest forest{items_of(runs), runs.runs.data(), runs.row_begin.data(), reach_of(config.connectivity),
                         parent.data(),  area.data(),      seeded.data(),         components.label.data()};
  const unsigned int blocks = grid_for(room, where);
  plant_kernel<<<blocks, block_threads, 0, where.stream>>>(forest, tiles, tile_room, components.counts.data());
  check_launch();
  join_kernel<<<blocks, block_threads, 0, where.stream>>>(forest);
  check_launch();
  if (!area.empty()) {
    add_areas_kernel<<<blocks, block_threads, 0, where.stream>>>(forest);
    check_launch();
  }
  if (!seeded.empty()) {
    mark_seeded_kernel<<<grid_for(seeds->runs.size(), where), block_threads, 0, where.stream>>>(
        forest, seeds->runs.data(), items_of(*seeds));
    check_launch();
  }
  number_kernel<<<grid_for(tile_room * block_threads, where), block_threads, 0, where.stream>>>(
      forest, static_cast<Area>(config.min_area), tiles, components.counts.data());
  check_launch();
  return components;
}

}  // namespace srcextract
