#include "stages/measure.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <bit>
#include <utility>

#include "cuda/launch.hpp"
#include "stages/measure_run.hpp"

namespace srcextract {

namespace {

/// The runs sorted by source, each source's in raster order: those of source k are at [begin[k], begin[k + 1]). The
/// sorted run i is run[i], of source source[i]; runs of no source (`none`) come last.
struct SortedRuns {
  ItemCount items;    ///< runs
  ItemCount sources;  ///< that are measured
  std::uint32_t none;
  const Run* runs;
  const std::uint32_t* source;
  const std::uint32_t* run;
  std::int32_t* begin;
};

/// A group of the fold (stages/fold.hpp): sorted runs [first, last), of `source`.
struct Group {
  std::uint32_t source;
  std::int64_t first, last;
  std::int64_t index;  ///< among the groups of the source
};

/// The first group of every source, and in every window of fold_group sorted runs the further group that begins there.
/// There is at most one: the group before it in the source reaches over the start of the window. So a thread finds its
/// group without a search, and that of window w has the sums at w to itself.
struct Groups {
  SortedRuns sorted;

  __device__ std::int64_t windows() const { return (sorted.items() + fold_group - 1) / fold_group; }
  __device__ Group first_of(std::int64_t source) const {
    return group_at(static_cast<std::uint32_t>(source), sorted.begin[source]);
  }
  /// False if no further group begins in the window.
  __device__ bool find_in(std::int64_t window, Group& group) const {
    const std::uint32_t source = sorted.source[window * fold_group];
    if (source == sorted.none) return false;
    const std::int64_t first = window * fold_group + sorted.begin[source] % fold_group;
    if (first <= sorted.begin[source] || first >= sorted.begin[source + 1]) return false;
    group = group_at(source, first);
    return true;
  }

 private:
  __device__ Group group_at(std::uint32_t source, std::int64_t first) const {
    const std::int64_t last = min(first + fold_group, static_cast<std::int64_t>(sorted.begin[source + 1]));
    return {source, first, last, (first - sorted.begin[source]) / fold_group};
  }
};

/// Sums of the groups: of the first of every source at `sources`, where the sums of the whole source go, of the others
/// at their window.
struct GroupSums {
  SourceSums* sources;
  SourceSums* windows;
};

__global__ void key_runs_kernel(SortedRuns sorted, const std::int32_t* label, std::uint32_t* source,
                                std::uint32_t* run) {
  const std::int64_t count = sorted.items();
  for (std::int64_t i = thread_index(); i < sorted.items.room; i += thread_total()) {
    const std::int32_t source_label = i < count ? label[i] : 0;
    const bool measured = source_label > 0 && source_label <= sorted.none;
    source[i] = measured ? static_cast<std::uint32_t>(source_label) - 1 : sorted.none;
    run[i] = static_cast<std::uint32_t>(i);
  }
}

/// Finds where sources begin, and what their first and last run say of their extent.
__global__ void find_begins_kernel(SortedRuns sorted, Extent* extents) {
  const std::int64_t count = sorted.items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::uint32_t source = sorted.source[i];
    const bool first = i == 0 || sorted.source[i - 1] != source;
    if (source == sorted.none) {
      if (first) sorted.begin[i == 0 ? 0 : sorted.source[i - 1] + 1] = static_cast<std::int32_t>(i);
      continue;
    }
    const Run run = sorted.runs[sorted.run[i]];
    if (first) {
      sorted.begin[source] = static_cast<std::int32_t>(i);
      extents[source].xmin = run.begin;
      extents[source].xmax = run.end - 1;
      extents[source].ymin = run.y;
    }
    if (i + 1 == count) sorted.begin[source + 1] = static_cast<std::int32_t>(count);
    if (i + 1 == count || sorted.source[i + 1] != source) extents[source].ymax = run.y;
  }
}

/// Calls body(group, thread's number of the group) for every group, a thread each.
template <class Body>
__device__ void for_each_group(const Groups& groups, const Body& body) {
  const std::int64_t sources = groups.sorted.sources();
  const std::int64_t all = sources + groups.windows();
  for (std::int64_t i = thread_index(); i < all; i += thread_total()) {
    Group group;
    if (i < sources) {
      body(groups.first_of(i), i);
    } else if (groups.find_in(i - sources, group)) {
      body(group, i);
    }
  }
}

__global__ void grow_extents_kernel(Groups groups, Extent* extents) {
  for_each_group(groups, [&](const Group& group, std::int64_t) {
    Extent& extent = extents[group.source];
    std::int32_t xmin = extent.xmin;
    std::int32_t xmax = extent.xmax;
    const std::int32_t xmin_before = xmin;
    const std::int32_t xmax_before = xmax;
    for (std::int64_t i = group.first; i < group.last; ++i) {
      const Run& run = groups.sorted.runs[groups.sorted.run[i]];
      xmin = min(xmin, run.begin);
      xmax = max(xmax, run.end - 1);
    }
    if (xmin < xmin_before) atomicMin(&extent.xmin, xmin);
    if (xmax > xmax_before) atomicMax(&extent.xmax, xmax);
  });
}

__global__ void measure_groups_kernel(Groups groups, const float* image, std::int64_t width, std::int64_t height,
                                      const Extent* extents, const Levels* levels, const MaskCounts* masked,
                                      GroupSums sums) {
  const double background = levels->background;
  const bool any_masked = masked->total() > 0;
  const SortedRuns& sorted = groups.sorted;
  const std::int64_t sources = sorted.sources();
  for_each_group(groups, [&](const Group& group, std::int64_t i) {
    const Extent extent = extents[group.source];
    const auto measure = [&](std::int64_t k) {
      return measure_run(image, width, height, sorted.runs[sorted.run[k]], extent, background, any_masked);
    };
    SourceSums total = measure(group.first);
    for (std::int64_t k = group.first + 1; k < group.last; ++k) add(total, measure(k));
    if (i < sources) {
      sums.sources[i] = total;
    } else {
      sums.windows[i - sources] = total;
    }
  });
}

/// Groups of one source.
__device__ std::int64_t group_count(const SortedRuns& sorted, std::int64_t source) {
  return (sorted.begin[source + 1] - sorted.begin[source] + fold_group - 1) / fold_group;
}

/// One level of the fold: group g of a source, g a multiple of fold_group * stride and not 0, takes the sums of groups
/// g + stride, g + 2 stride, ..., which are in the windows that follow its own.
__global__ void fold_windows_kernel(Groups groups, std::int64_t stride, SourceSums* windows) {
  const std::int64_t count = groups.windows();
  for (std::int64_t window = thread_index(); window < count; window += thread_total()) {
    Group group;
    if (!groups.find_in(window, group) || group.index % (fold_group * stride) != 0) continue;
    const std::int64_t further = group_count(groups.sorted, group.source) - group.index;
    SourceSums total = windows[window];
    for (std::int64_t k = stride; k < min(fold_group * stride, further); k += stride) add(total, windows[window + k]);
    windows[window] = total;
  }
}

/// All levels of the fold of the group that is left, the first of every source.
__global__ void fold_sources_kernel(SortedRuns sorted, GroupSums sums) {
  const std::int64_t sources = sorted.sources();
  for (std::int64_t source = thread_index(); source < sources; source += thread_total()) {
    const std::int64_t groups = group_count(sorted, source);
    if (groups == 1) continue;
    const SourceSums* windows = sums.windows + sorted.begin[source] / fold_group;
    SourceSums total = sums.sources[source];
    for (std::int64_t stride = 1; stride < groups; stride *= fold_group) {
      for (std::int64_t k = stride; k < min(fold_group * stride, groups); k += stride) add(total, windows[k]);
    }
    sums.sources[source] = total;
  }
}

void fold(const Groups& groups, std::int64_t room_for_windows, const GroupSums& sums, const Gpu& where) {
  for (std::int64_t stride = 1; fold_group * stride < room_for_windows; stride *= fold_group) {
    fold_windows_kernel<<<grid_for(room_for_windows, where), block_threads, 0, where.stream>>>(groups, stride,
                                                                                               sums.windows);
    check_launch();
  }
  fold_sources_kernel<<<grid_for(groups.sorted.sources.room, where), block_threads, 0, where.stream>>>(groups.sorted,
                                                                                                       sums);
  check_launch();
}

/// The memory of a SortedRuns.
class RunSorter {
 public:
  RunSorter(const Runs<Gpu>& runs, const Components<Gpu>& components, std::int64_t sources, const Gpu& where)
      : begin_(sources + 1, where) {
    const std::int64_t room = runs.runs.size();
    for (auto* buffer : {&source_[0], &source_[1], &run_[0], &run_[1]}) *buffer = {room, where};
    sorted_ = {{runs.row_begin.data() + runs.shape.height, room},
               {&components.counts.data()->kept, sources},
               static_cast<std::uint32_t>(sources),
               runs.runs.data(),
               nullptr,
               nullptr,
               begin_.data()};
    key_runs_kernel<<<grid_for(room, where), block_threads, 0, where.stream>>>(sorted_, components.label.data(),
                                                                               source_[0].data(), run_[0].data());
    check_launch();
    cub::DoubleBuffer<std::uint32_t> source(source_[0].data(), source_[1].data());
    cub::DoubleBuffer<std::uint32_t> run(run_[0].data(), run_[1].data());
    with_scratch(where, [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes, source, run, static_cast<std::uint32_t>(room), 0,
                                             std::bit_width(sorted_.none), where.stream);
    });
    sorted_.source = source.Current();
    sorted_.run = run.Current();
  }

  const SortedRuns& sorted() const { return sorted_; }

 private:
  Buffer<std::uint32_t, Gpu> source_[2], run_[2];
  Buffer<std::int32_t, Gpu> begin_;
  SortedRuns sorted_;
};

}  // namespace

Buffer<SourceSums, Gpu> measure_sources(const Image<float, Gpu>& image, const Runs<Gpu>& runs,
                                        const Components<Gpu>& components, const Value<Levels, Gpu>& levels,
                                        const Value<MaskCounts, Gpu>& masked, const Gpu& where) {
  const std::int64_t room = runs.runs.size();
  if (room == 0) return {};
  const std::int64_t sources = where.capacity.sources > 0 ? std::min(where.capacity.sources, room) : room;
  const RunSorter sorter(runs, components, sources, where);
  const Groups groups{sorter.sorted()};
  Buffer<Extent, Gpu> extents(sources, where);
  find_begins_kernel<<<grid_for(room, where), block_threads, 0, where.stream>>>(groups.sorted, extents.data());
  check_launch();

  const std::int64_t windows = (room + fold_group - 1) / fold_group;
  const unsigned int blocks = grid_for(sources + windows, where);
  grow_extents_kernel<<<blocks, block_threads, 0, where.stream>>>(groups, extents.data());
  check_launch();
  Buffer<SourceSums, Gpu> sums(sources, where);
  Buffer<SourceSums, Gpu> window_sums(windows, where);
  const GroupSums group_sums{sums.data(), window_sums.data()};
  measure_groups_kernel<<<blocks, block_threads, 0, where.stream>>>(groups, image.pixels.data(), image.shape.width,
                                                                    image.shape.height, extents.data(), levels.data(),
                                                                    masked.data(), group_sums);
  check_launch();
  fold(groups, windows, group_sums, where);
  return sums;
}

}  // namespace srcextract
