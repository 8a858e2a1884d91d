#include "stages/measure/measure.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <span>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/measure/measure_run.hpp"

namespace srcextract {

namespace {

using Members = RunsBySource::Members;

constexpr std::int64_t sources_per_piece = 256;

/// A source with more runs (a run: consecutive pixels of a row) than this is measured by all threads together.
constexpr std::size_t large_source = 1024;

constexpr std::int64_t runs_per_piece = std::int64_t{4} * ordered_group;

/// A run is prefetched when it is runs_ahead runs after the current run; its pixels are prefetched when it is
/// pixels_ahead runs after the current run.
constexpr std::int64_t runs_ahead = 64;
constexpr std::int64_t pixels_ahead = 32;

/// Prefetches the runs of the sources, and then the pixels of these runs. Both are scattered in memory.
class Fetcher {
 public:
  Fetcher(const Image<float, Cpu>& image, const Runs<Cpu>& runs, Members order)
      : image_(image), runs_(runs), order_(order) {}

  /// Prefetches the runs with the indices [begin, end) in `order`, and the runs_ahead runs that follow.
  void fetch(std::int64_t begin, std::int64_t end) {
    for (next_ = std::max(next_, begin); next_ < std::min(end + runs_ahead, std::ssize(order_)); ++next_) {
      __builtin_prefetch(&run(next_));
      const Run& nearer = run(std::max<std::int64_t>(next_ - (runs_ahead - pixels_ahead), 0));
      __builtin_prefetch(image_.pixels.data() + nearer.y * image_.shape.width + nearer.begin);
    }
  }

 private:
  const Run& run(std::int64_t i) const { return runs_.runs[order_[static_cast<std::size_t>(i)]]; }

  const Image<float, Cpu>& image_;
  const Runs<Cpu>& runs_;
  Members order_;
  std::int64_t next_ = 0;
};

class RunMeasurer {
 public:
  RunMeasurer(const Image<float, Cpu>& image, const Runs<Cpu>& runs, double background, bool any_masked)
      : image_(image), runs_(runs), background_(background), any_masked_(any_masked) {}

  Extent extent_of(Members members) const {
    const Run& first = runs_.runs[members.front()];
    Extent extent{first.begin, first.end - 1, first.y, runs_.runs[members.back()].y};
    for (const std::int32_t member : members) {
      const Run& run = runs_.runs[member];
      extent.xmin = std::min(extent.xmin, run.begin);
      extent.xmax = std::max(extent.xmax, run.end - 1);
    }
    return extent;
  }

  /// Returns the sums over at most `ordered_group` runs, added in the order of `members`.
  SourceSums sum_group(Members members, const Extent& extent) const {
    const HeldRows held = hold_about(runs_.runs[members.front()].y, runs_.runs[members.back()].y);
    SourceSums sums = measure(members.front(), extent);
    for (const std::int32_t member : members.subspan(1)) add(sums, measure(member, extent));
    return sums;
  }
  /// Returns the sums over a source that consists of the single run with index `of`.
  SourceSums sum_single(std::int64_t of) const {
    const Run& run = runs_.runs[of];
    const HeldRows held = hold_about(run.y, run.y);
    return measure(of, {run.begin, run.end - 1, run.y, run.y});
  }

 private:
  /// Holds the rows `first` - 1 to `last` + 1 in memory: the rows of the runs, and one row on either side, in which
  /// neighbouring pixels are checked.
  HeldRows hold_about(std::int64_t first, std::int64_t last) const { return {image_, first - 1, last + 2}; }

  SourceSums measure(std::int64_t run, const Extent& extent) const {
    return measure_run(image_.pixels.data(), image_.shape.width, image_.shape.height, runs_.runs[run], extent,
                       background_, any_masked_);
  }

  const Image<float, Cpu>& image_;
  const Runs<Cpu>& runs_;
  double background_;
  bool any_masked_;
};

Extent extent_of_large(const RunMeasurer& measurer, Members members, const Cpu& where) {
  Extent extent = measurer.extent_of(members.first(1));
  std::mutex merge;
  parallel_for(std::ssize(members), runs_per_piece, where, [&](std::int64_t first, std::int64_t last) {
    const Extent part = measurer.extent_of(members.subspan(first, last - first));
    const std::lock_guard lock(merge);
    extent.xmin = std::min(extent.xmin, part.xmin);
    extent.xmax = std::max(extent.xmax, part.xmax);
    extent.ymax = std::max(extent.ymax, part.ymax);
  });
  return extent;
}

/// Measures a source with many runs. All threads sum groups of `ordered_group` runs; then one thread adds the sums of
/// the groups in order.
SourceSums measure_large(const RunMeasurer& measurer, Members members, const Cpu& where) {
  const Extent extent = extent_of_large(measurer, members, where);
  Buffer<SourceSums, Cpu> groups((std::ssize(members) + ordered_group - 1) / ordered_group, where);
  parallel_for(std::ssize(members), runs_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin; first < end; first += ordered_group) {
      const std::int64_t count = std::min<std::int64_t>(ordered_group, end - first);
      groups[first / ordered_group] = measurer.sum_group(members.subspan(first, count), extent);
    }
  });
  OrderedSum<SourceSums> sums;
  for (const SourceSums& group : groups) sums.push(group);
  return sums.total();
}

/// Whether every source is a single run, and run i belongs to source i + 1 for every i. This happens if each detection
/// is a single noisy pixel.
bool are_single_runs(const Components<Cpu>& components, const Cpu& where) {
  const Buffer<std::int32_t, Cpu>& label = components.label;
  if (label.size() != components.counts->kept) return false;
  constexpr std::int64_t labels_per_piece = std::int64_t{1} << 16;
  std::atomic<bool> single = true;
  parallel_for(label.size(), labels_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t others = 0;
    for (std::int64_t i = begin; i < end; ++i) others += label[i] != static_cast<std::int32_t>(i + 1) ? 1 : 0;
    if (others > 0) single = false;
  });
  return single;
}

}  // namespace

Buffer<SourceSums, Cpu> measure_sources(const Image<float, Cpu>& image, const Runs<Cpu>& runs,
                                        const Components<Cpu>& components, const Value<Levels, Cpu>& levels,
                                        const Value<MaskCounts, Cpu>& masked, const Cpu& where) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && image.shape == runs.shape);
  SRCEXTRACT_EXPECT(are_in_raster_order(runs) && are_labels_of(components, runs));
  SRCEXTRACT_EXPECT(components.counts->kept == 0 || std::isfinite(levels->background));
  const RunMeasurer measurer(image, runs, levels->background, masked->total() > 0);
  const std::int64_t sources = components.counts->kept;
  Buffer<SourceSums, Cpu> sums(sources, where);
  if (are_single_runs(components, where)) {
    parallel_for(sources, sources_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t source = begin; source < end; ++source) sums[source] = measurer.sum_single(source);
    });
    return sums;
  }
  const RunsBySource by_source = group_runs(components, where);
  std::vector<std::int64_t> large;
  std::mutex merge;
  parallel_for(sources, sources_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    Fetcher fetcher(image, runs, {by_source.order.begin(), by_source.order.end()});
    for (std::int64_t source = begin; source < end; ++source) {
      const Members members = by_source.members(source);
      if (members.size() > large_source) {
        const std::lock_guard lock(merge);
        large.push_back(source);
        continue;
      }
      fetcher.fetch(by_source.begin[source], by_source.begin[source + 1]);
      const Extent extent = measurer.extent_of(members);
      sums[source] = ordered_sum<SourceSums>(std::ssize(members), [&](std::int64_t first, std::int64_t last) {
        return measurer.sum_group(members.subspan(first, last - first), extent);
      });
    }
  });
  for (const std::int64_t source : large) sums[source] = measure_large(measurer, by_source.members(source), where);
  return sums;
}

}  // namespace srcextract
