#include "stages/measure.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <bit>
#include <utility>

#include "cuda/launch.hpp"
#include "stages/measure_run.hpp"

namespace srcextract {

namespace {

/// The runs sorted by source, each source's in raster order; element i of `label` belongs to run `run[i]`. The runs of
/// dropped components (label 0) come first.
struct SortedRuns {
  Buffer<std::int32_t, Gpu> label;
  Buffer<std::int32_t, Gpu> run;
};

__global__ void iota_kernel(std::int32_t* out, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i < count) out[i] = static_cast<std::int32_t>(i);
}

SortedRuns sort_runs(const Components<Gpu>& components, const Gpu& where) {
  const std::int64_t count = components.label.size();
  SortedRuns sorted{{count, where}, {count, where}};
  Buffer<std::int32_t, Gpu> index(count, where);
  iota_kernel<<<blocks_for(count), block_threads, 0, where.stream>>>(index.data(), count);
  check_launch();
  const int bits = std::bit_width(static_cast<std::uint64_t>(components.count));
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, components.label.data(), sorted.label.data(), index.data(),
                                           sorted.run.data(), count, 0, bits, where.stream);
  });
  return sorted;
}

/// begin[k] = first sorted run of source k (label k + 1); begin[sources] = count.
__global__ void find_begins_kernel(const std::int32_t* label, std::int64_t count, std::int64_t sources,
                                   std::int64_t* begin) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  if (label[i] > 0 && (i == 0 || label[i - 1] != label[i])) begin[label[i] - 1] = i;
  if (i == 0) begin[sources] = count;
}

__global__ void init_extents_kernel(const Run* runs, const std::int32_t* run, const std::int64_t* begin,
                                    std::int64_t sources, Extent* extents) {
  const std::int64_t source = thread_index();
  if (source >= sources) return;
  const Run& first = runs[run[begin[source]]];
  const Run& last = runs[run[begin[source + 1] - 1]];
  extents[source] = {first.begin, first.end - 1, first.y, last.y};
}

__global__ void grow_extents_kernel(const Run* runs, const std::int32_t* label, std::int64_t count, Extent* extents) {
  const std::int64_t i = thread_index();
  if (i >= count || label[i] == 0) return;
  Extent& extent = extents[label[i] - 1];
  const Run& run = runs[i];
  if (run.begin < extent.xmin) atomicMin(&extent.xmin, run.begin);
  if (run.end - 1 > extent.xmax) atomicMax(&extent.xmax, run.end - 1);
}

/// `first` = sorted position of the first run that is kept; sums[i] belongs to sorted run first + i.
__global__ void measure_runs_kernel(const float* image, std::int64_t width, std::int64_t height, const Run* runs,
                                    const std::int32_t* label, const std::int32_t* run, std::int64_t first,
                                    std::int64_t count, const Extent* extents, double background, bool any_masked,
                                    SourceSums* sums) {
  const std::int64_t i = thread_index();
  if (i >= count) return;
  sums[i] =
      measure_run(image, width, height, runs[run[first + i]], extents[label[first + i] - 1], background, any_masked);
}

/// Partial sums of every source, one after the other: those of source k are [begin[k], begin[k + 1]).
struct Partials {
  Buffer<SourceSums, Gpu> sums;
  Buffer<std::int64_t, Gpu> begin;
};

struct GroupCount {
  const std::int64_t* begin;
  std::int64_t sources;
  __device__ std::int64_t operator()(std::int64_t k) const {
    return k < sources ? (begin[k + 1] - begin[k] + fold_group - 1) / fold_group : 0;
  }
};

/// The source that group `group` belongs to: the last k with begin[k] <= group.
__device__ std::int64_t source_of(const std::int64_t* begin, std::int64_t sources, std::int64_t group) {
  std::int64_t low = 0;
  std::int64_t high = sources;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (begin[middle] <= group) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// One thread a group of fold_group partial sums (stages/fold.hpp).
__global__ void fold_groups_kernel(const SourceSums* sums, const std::int64_t* begin, const std::int64_t* group_begin,
                                   std::int64_t sources, std::int64_t groups, SourceSums* folded) {
  const std::int64_t group = thread_index();
  if (group >= groups) return;
  const std::int64_t source = source_of(group_begin, sources, group);
  const std::int64_t first = begin[source] + (group - group_begin[source]) * fold_group;
  const std::int64_t last = min(first + fold_group, begin[source + 1]);
  SourceSums total = sums[first];
  for (std::int64_t i = first + 1; i < last; ++i) add(total, sums[i]);
  folded[group] = total;
}

/// Folds every source's partial sums by one level.
Partials fold_level(const Partials& partials, std::int64_t sources, const Gpu& where) {
  Partials folded;
  folded.begin = Buffer<std::int64_t, Gpu>(sources + 1, where);
  const auto group_counts = thrust::make_transform_iterator(thrust::make_counting_iterator(std::int64_t{0}),
                                                            GroupCount{partials.begin.data(), sources});
  with_scratch(where, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, group_counts, folded.begin.data(), sources + 1, where.stream);
  });
  const std::int64_t groups = read_element(folded.begin, sources, where);
  folded.sums = Buffer<SourceSums, Gpu>(groups, where);
  fold_groups_kernel<<<blocks_for(groups), block_threads, 0, where.stream>>>(
      partials.sums.data(), partials.begin.data(), folded.begin.data(), sources, groups, folded.sums.data());
  check_launch();
  return folded;
}

__global__ void subtract_kernel(std::int64_t* values, std::int64_t count, std::int64_t amount) {
  const std::int64_t i = thread_index();
  if (i < count) values[i] -= amount;
}

}  // namespace

Buffer<SourceSums, Gpu> measure_sources(const Image<float, Gpu>& image, const Runs<Gpu>& runs,
                                        const Components<Gpu>& components, double background, bool any_masked,
                                        const Gpu& where) {
  const std::int64_t sources = components.count;
  if (sources == 0) return {};
  const std::int64_t all = runs.runs.size();
  const SortedRuns sorted = sort_runs(components, where);

  Partials partials;
  partials.begin = Buffer<std::int64_t, Gpu>(sources + 1, where);
  find_begins_kernel<<<blocks_for(all), block_threads, 0, where.stream>>>(sorted.label.data(), all, sources,
                                                                          partials.begin.data());
  check_launch();
  Buffer<Extent, Gpu> extents(sources, where);
  init_extents_kernel<<<blocks_for(sources), block_threads, 0, where.stream>>>(
      runs.runs.data(), sorted.run.data(), partials.begin.data(), sources, extents.data());
  check_launch();
  grow_extents_kernel<<<blocks_for(all), block_threads, 0, where.stream>>>(runs.runs.data(), components.label.data(),
                                                                           all, extents.data());
  check_launch();

  const std::int64_t first = read_element(partials.begin, 0, where);
  partials.sums = Buffer<SourceSums, Gpu>(all - first, where);
  measure_runs_kernel<<<blocks_for(all - first), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape.width, image.shape.height, runs.runs.data(), sorted.label.data(),
      sorted.run.data(), first, all - first, extents.data(), background, any_masked, partials.sums.data());
  check_launch();
  subtract_kernel<<<blocks_for(sources + 1), block_threads, 0, where.stream>>>(partials.begin.data(), sources + 1,
                                                                               first);
  check_launch();

  while (partials.sums.size() > sources) partials = fold_level(partials, sources, where);
  return std::move(partials.sums);
}

}  // namespace srcextract
