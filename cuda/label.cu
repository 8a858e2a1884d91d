#include "stages/label.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "cuda/launch.hpp"
#include "stages/adjacency.hpp"

namespace srcextract {

namespace {

using Area = unsigned long long;  // what atomicAdd takes

__global__ void init_forest_kernel(std::uint32_t* parent, std::int64_t count) {
  const std::int64_t run = thread_index();
  if (run < count) parent[run] = static_cast<std::uint32_t>(run);
}

/// A parent read while others join may be out of date, but it is an ancestor all the same.
__device__ std::uint32_t find_root(const std::uint32_t* parent, std::uint32_t run) {
  const volatile std::uint32_t* p = parent;
  for (std::uint32_t next = p[run]; next != run; next = p[run]) run = next;
  return run;
}

/// Lock-free union (Komura 2015; Playne and Hawick 2018): a root takes the smaller root as its parent; if another
/// thread was first, what it wrote is joined in turn. No parent ever comes after its child, so the final root is the
/// component's first run whatever the schedule.
__device__ void join(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  for (;;) {
    a = find_root(parent, a);
    b = find_root(parent, b);
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

__global__ void join_rows_kernel(const Run* runs, const std::int64_t* row_begin, std::int64_t count, std::int32_t reach,
                                 std::uint32_t* parent) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const Run run = runs[i];
  if (run.y == 0) return;
  const std::int64_t above_end = row_begin[run.y];
  std::int64_t above = first_not_before(runs, row_begin[run.y - 1], above_end, run, reach);
  for (; above < above_end && touch(runs[above], run, reach); ++above) {
    join(parent, static_cast<std::uint32_t>(above), static_cast<std::uint32_t>(i));
  }
}

/// Makes every parent a root and adds up the areas. Only entries that are not roots are written, with a root: another
/// thread on its way through them still arrives.
__global__ void flatten_kernel(const Run* runs, std::int64_t count, std::uint32_t* parent, Area* area) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t root = find_root(parent, static_cast<std::uint32_t>(i));
  parent[i] = root;
  atomicAdd(&area[root], static_cast<Area>(runs[i].end - runs[i].begin));
}

/// 1 where run i is the root of a component of at least min_area pixels.
struct IsKeptRoot {
  const std::uint32_t* parent;
  const Area* area;
  Area min_area;
  __device__ std::int32_t operator()(std::int64_t i) const {
    return parent[i] == static_cast<std::uint64_t>(i) && area[i] >= min_area ? 1 : 0;
  }
};

/// `number` holds, for every run, how many kept roots there are up to it.
__global__ void write_labels_kernel(IsKeptRoot kept, std::int64_t count, const std::int32_t* number,
                                    std::int32_t* label) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  const std::uint32_t root = kept.parent[i];
  label[i] = kept(root) != 0 ? number[root] : 0;
}

/// How many components there are, whatever their area.
std::int64_t count_roots(IsKeptRoot kept, std::int64_t count, const Gpu& where) {
  kept.min_area = 0;
  const auto roots = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), kept);
  Buffer<std::int32_t, Gpu> total(1, where);
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, roots, total.data(), count, where.stream);
  });
  return read_element(total, 0, where);
}

}  // namespace

Components<Gpu> label_components(const Runs<Gpu>& runs, const DetectionConfig& config, const Gpu& where) {
  const std::int64_t count = runs.runs.size();
  check_run_count(count);
  Components<Gpu> components{Buffer<std::int32_t, Gpu>(count, where)};
  if (count == 0) return components;

  Buffer<std::uint32_t, Gpu> parent(count, where);
  auto area = filled<Area>(count, 0, where);
  const unsigned int blocks = blocks_for(count);
  init_forest_kernel<<<blocks, block_threads, 0, where.stream>>>(parent.data(), count);
  check_launch();
  join_rows_kernel<<<blocks, block_threads, 0, where.stream>>>(runs.runs.data(), runs.row_begin.data(), count,
                                                               reach_of(config.connectivity), parent.data());
  check_launch();
  flatten_kernel<<<blocks, block_threads, 0, where.stream>>>(runs.runs.data(), count, parent.data(), area.data());
  check_launch();

  const IsKeptRoot kept{parent.data(), area.data(), static_cast<Area>(config.min_area)};
  const auto kept_roots = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}), kept);
  Buffer<std::int32_t, Gpu> number(count, where);
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, kept_roots, number.data(), count, where.stream);
  });
  write_labels_kernel<<<blocks, block_threads, 0, where.stream>>>(kept, count, number.data(), components.label.data());
  check_launch();
  components.count = read_element(number, count - 1, where);
  components.found = count_roots(kept, count, where);
  return components;
}

}  // namespace srcextract
