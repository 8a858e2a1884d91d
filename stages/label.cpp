#include "stages/label.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "stages/adjacency.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// Rows that one thread joins before stripes are joined at their seams.
constexpr std::int64_t stripe_rows = 256;

/// A forest over runs in which no parent comes after its child. The root of a component is therefore its first run in
/// raster order, and numbering the roots in order numbers the components by their first pixel.
class RunForest {
 public:
  RunForest(const Runs<Cpu>& runs, std::int32_t reach, const Cpu& where)
      : runs_(runs), reach_(reach), parent_(runs.runs.size(), where), value_(runs.runs.size(), where) {}

  /// Joins the runs of rows [begin, end) with each other. Stripes of rows may be joined at the same time.
  void join_stripe(std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = runs_.row_begin[begin]; i < runs_.row_begin[end]; ++i) {
      parent_[i] = static_cast<std::uint32_t>(i);
    }
    for (std::int64_t y = begin + 1; y < end; ++y) join_row(y, [](std::uint32_t, std::uint32_t) {});
    // Every parent becomes a root: parents come first, so the parent's own is one already.
    for (std::int64_t i = runs_.row_begin[begin]; i < runs_.row_begin[end]; ++i) {
      const std::uint32_t root = parent_[parent_[i]];
      parent_[i] = root;
      value_[i] = 0;
      value_[root] += runs_.runs[i].end - runs_.runs[i].begin;
    }
  }

  /// Joins the stripes that meet between rows y - 1 and y.
  void join_seam(std::int64_t y) {
    join_row(y, [&](std::uint32_t root, std::uint32_t child) {
      value_[root] += value_[child];
      attached_.push_back(child);
    });
  }

  /// After the last seam. Only roots that a seam has attached to another may still be far from their own.
  void finish() {
    std::sort(attached_.begin(), attached_.end());
    for (const std::uint32_t run : attached_) parent_[run] = parent_[parent_[run]];
  }

  bool is_root(std::int64_t run) const { return parent_[run] == run; }

  /// Whether a run is the root of a component of at least that many pixels.
  bool is_large_root(std::int64_t run, std::int64_t min_area) const { return is_root(run) & (value_[run] >= min_area); }

  /// Gives the component of a root a number, in place of its area. Those of other runs are not used.
  void set_number(std::int64_t run, std::int32_t number) { value_[run] = number; }

  /// The number of the component of a run.
  std::int32_t number_of(std::int64_t run) const { return static_cast<std::int32_t>(value_[parent_[parent_[run]]]); }

 private:
  /// Joins the runs of row y with those of row y - 1. Calls attached(root, child) where the root child
  /// ceases to be one.
  template <class Attached>
  void join_row(std::int64_t y, const Attached& attached) {
    std::int64_t above = runs_.row_begin[y - 1];
    std::int64_t here = runs_.row_begin[y];
    const std::int64_t above_end = here;
    const std::int64_t here_end = runs_.row_begin[y + 1];
    while (above < above_end && here < here_end) {
      const Run& a = runs_.runs[above];
      const Run& b = runs_.runs[here];
      if (touch(a, b, reach_)) {
        join(static_cast<std::uint32_t>(above), static_cast<std::uint32_t>(here), attached);
      }
      // Whichever ends first can touch nothing further on.
      a.end < b.end ? ++above : ++here;
    }
  }

  std::uint32_t find(std::uint32_t run) {
    while (parent_[run] != run) {
      parent_[run] = parent_[parent_[run]];
      run = parent_[run];
    }
    return run;
  }

  template <class Attached>
  void join(std::uint32_t a, std::uint32_t b, const Attached& attached) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    if (b < a) std::swap(a, b);
    parent_[b] = a;
    attached(a, b);
  }

  const Runs<Cpu>& runs_;
  std::int32_t reach_;
  Buffer<std::uint32_t, Cpu> parent_;
  Buffer<std::int64_t, Cpu> value_;      ///< of a root: the pixels of its component, then the component's number
  std::vector<std::uint32_t> attached_;  ///< what seams made no longer a root
};

void join_all_rows(RunForest& forest, std::int64_t height, const Cpu& where) {
  parallel_for(height, stripe_rows, where,
               [&](std::int64_t begin, std::int64_t end) { forest.join_stripe(begin, end); });
  for (std::int64_t seam = stripe_rows; seam < height; seam += stripe_rows) forest.join_seam(seam);
  forest.finish();
}

/// Numbers the components of at least min_area pixels 1, 2, ... in the order of their roots; the others become 0.
Components<Cpu> number_components(RunForest& forest, const Runs<Cpu>& runs, std::int64_t min_area, const Cpu& where) {
  Components<Cpu> components{Buffer<std::int32_t, Cpu>(runs.runs.size(), where)};
  const auto for_each_stripe = [&](const auto& number_runs) {
    parallel_for(runs.shape.height, stripe_rows, where, [&](std::int64_t begin, std::int64_t end) {
      number_runs(begin / stripe_rows, runs.row_begin[begin], runs.row_begin[end]);
    });
  };
  const std::int64_t stripes = (runs.shape.height + stripe_rows - 1) / stripe_rows;
  std::vector<std::int32_t> found(static_cast<std::size_t>(stripes), 0);
  std::vector<std::int32_t> kept(static_cast<std::size_t>(stripes), 0);
  for_each_stripe([&](std::int64_t stripe, std::int64_t first, std::int64_t last) {
    std::int32_t roots = 0;
    std::int32_t large = 0;
    for (std::int64_t i = first; i < last; ++i) {
      roots += forest.is_root(i) ? 1 : 0;
      large += forest.is_large_root(i, min_area) ? 1 : 0;
    }
    found[static_cast<std::size_t>(stripe)] = roots;
    kept[static_cast<std::size_t>(stripe)] = large;
  });
  components.found = std::accumulate(found.begin(), found.end(), std::int64_t{0});
  components.count = std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
  std::exclusive_scan(kept.begin(), kept.end(), kept.begin(), 0);
  for_each_stripe([&](std::int64_t stripe, std::int64_t first, std::int64_t last) {
    std::int32_t number = kept[static_cast<std::size_t>(stripe)];
    for (std::int64_t i = first; i < last; ++i) {
      const std::int32_t large = forest.is_large_root(i, min_area);
      number += large;
      forest.set_number(i, number * large);
    }
  });
  for_each_stripe([&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) components.label[i] = forest.number_of(i);
  });
  return components;
}

}  // namespace

Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where) {
  check_run_count(runs.runs.size());
  RunForest forest(runs, reach_of(config.connectivity), where);
  join_all_rows(forest, runs.shape.height, where);
  return number_components(forest, runs, config.min_area, where);
}

void check_run_count(std::int64_t runs) {
  if (runs <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(ErrorKind::input,
              "the threshold leaves " + std::to_string(runs) +
                  " separate runs of pixels, more than 2^31: that is noise, not sources; raise detection.threshold");
}

}  // namespace srcextract
