#include "stages/label.hpp"

#include "cuda/scan.hpp"
#include "stages/adjacency.hpp"

namespace srcextract {

namespace {

using Area = unsigned long long;  // what atomicAdd takes

/// Every run a component of its own.
__global__ void init_forest_kernel(ItemCount items, const Run* runs, std::uint32_t* parent, Area* area) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    parent[i] = static_cast<std::uint32_t>(i);
    area[i] = static_cast<Area>(runs[i].end - runs[i].begin);
  }
}

/// A parent read while others join may be out of date, but it is an ancestor all the same.
__device__ std::uint32_t find_root(const std::uint32_t* parent, std::uint32_t run) {
  const volatile std::uint32_t* p = parent;
  for (std::uint32_t next = p[run]; next != run; next = p[run]) run = next;
  return run;
}

/// The same, and halves the path for those who come after: a run that is not a root, and never will be again, gets its
/// grandparent as its parent. Should that overwrite what `join` has just written there, nothing is lost: `join` goes on
/// with what it found.
__device__ std::uint32_t find_root_halving(std::uint32_t* parent, std::uint32_t run) {
  volatile std::uint32_t* p = parent;
  for (;;) {
    const std::uint32_t next = p[run];
    if (next == run) return run;
    const std::uint32_t after = p[next];
    if (after == next) return next;
    p[run] = after;
    run = after;
  }
}

/// Lock-free union (Komura 2015; Playne and Hawick 2018): a root takes the smaller root as its parent; if another
/// thread was first, what it wrote is joined in turn. No parent ever comes after its child, so the final root is the
/// component's first run whatever the schedule.
__device__ void join(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = find_root_halving(parent, a);
    b = find_root_halving(parent, b);
    if (a == b) return;
    const std::uint32_t first = min(a, b);
    const std::uint32_t second = max(a, b);
    const std::uint32_t seen = atomicMin(&parent[second], first);
    if (seen == second) return;
    a = first;
    b = seen;
  }
}

/// The first run of [begin, end), all of one row, that does not lie wholly before `run`.
__device__ std::int64_t first_not_before(const Run* runs, std::int64_t begin, std::int64_t end, const Run& run,
                                         std::int32_t reach) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (runs[middle].end + reach <= run.begin) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

__global__ void join_rows_kernel(ItemCount items, const Run* runs, const std::int64_t* row_begin, std::int32_t reach,
                                 std::uint32_t* parent) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const Run run = runs[i];
    if (run.y == 0) continue;
    const std::int64_t above_end = row_begin[run.y];
    std::int64_t above = first_not_before(runs, row_begin[run.y - 1], above_end, run, reach);
    for (; above < above_end && touch(runs[above], run, reach); ++above) {
      join(parent, static_cast<std::uint32_t>(above), static_cast<std::uint32_t>(i));
    }
  }
}

/// The area that one thread has still to add to the root that it meets most (the majority vote of Boyer and Moore): the
/// runs of a component that is all over the image do not wait for one counter each.
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

  /// Every thread of the warp calls it.
  __device__ void finish(Area* area) {
    constexpr unsigned int all = 0xffffffffu;
    const unsigned int holding = __ballot_sync(all, pixels != 0);
    if (holding == 0) return;
    const std::uint32_t one = __shfl_sync(all, root, __ffs(static_cast<int>(holding)) - 1);
    if (__all_sync(all, pixels == 0 || root == one)) {
      for (int distance = 16; distance > 0; distance /= 2) pixels += __shfl_down_sync(all, pixels, distance);
      if (threadIdx.x % 32 == 0) atomicAdd(&area[one], pixels);
    } else if (pixels != 0) {
      atomicAdd(&area[root], pixels);
    }
  }
};

/// Makes every parent a root and adds up the areas. Only entries that are not roots are written, with a root: another
/// thread on its way through them still arrives.
__global__ void flatten_kernel(ItemCount items, const Run* runs, std::uint32_t* parent, Area* area) {
  const std::int64_t count = items();
  CarriedArea carried;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::uint32_t root = find_root(parent, static_cast<std::uint32_t>(i));
    if (root == static_cast<std::uint64_t>(i)) continue;  // its own area is there already
    parent[i] = root;
    carried.add(area, root, static_cast<Area>(runs[i].end - runs[i].begin));
  }
  carried.finish(area);
}

/// Counts run i if it is the root of a component, of at least min_area pixels or not.
struct CountRoots {
  const std::uint32_t* parent;
  const Area* area;
  Area min_area;

  __device__ bool is_root(std::int64_t i) const { return parent[i] == static_cast<std::uint64_t>(i); }
  __device__ ComponentCounts operator()(std::int64_t i) const {
    if (!is_root(i)) return {0, 0};
    return {area[i] >= min_area ? 1 : 0, 1};
  }
};

/// Labels roots: the k-th that is kept is component k.
struct LabelRoots {
  CountRoots roots;
  std::int32_t* label;

  __device__ void operator()(std::int64_t i, const ComponentCounts& before) const {
    if (!roots.is_root(i)) return;
    label[i] = roots.area[i] >= roots.min_area ? static_cast<std::int32_t>(before.kept + 1) : 0;
  }
};

/// Labels the runs that are not roots.
__global__ void spread_labels_kernel(ItemCount items, const std::uint32_t* parent, std::int32_t* label) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::uint32_t root = parent[i];
    if (root != static_cast<std::uint64_t>(i)) label[i] = label[root];
  }
}

}  // namespace

Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where) {
  const std::int64_t room = runs.runs.size();
  const ItemCount items{runs.row_begin.data() + runs.shape.height, room};
  Components<Gpu> components{{room, where}, Value<ComponentCounts, Gpu>(where)};
  Buffer<std::uint32_t, Gpu> parent(room, where);
  Buffer<Area, Gpu> area(room, where);
  const unsigned int blocks = grid_for(room, where);
  init_forest_kernel<<<blocks, block_threads, 0, where.stream>>>(items, runs.runs.data(), parent.data(), area.data());
  check_launch();
  join_rows_kernel<<<blocks, block_threads, 0, where.stream>>>(items, runs.runs.data(), runs.row_begin.data(),
                                                               reach_of(config.connectivity), parent.data());
  check_launch();
  flatten_kernel<<<blocks, block_threads, 0, where.stream>>>(items, runs.runs.data(), parent.data(), area.data());
  check_launch();

  const CountRoots roots{parent.data(), area.data(), static_cast<Area>(config.min_area)};
  exclusive_scan(items, roots, LabelRoots{roots, components.label.data()}, components.counts.data(), where);
  spread_labels_kernel<<<blocks, block_threads, 0, where.stream>>>(items, parent.data(), components.label.data());
  check_launch();
  return components;
}

}  // namespace srcextract
