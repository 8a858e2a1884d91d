#include "stages/label.hpp"

#include <algorithm>
#include <limits>
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
      : runs_(runs), reach_(reach), parent_(runs.runs.size(), where) {
    for (std::int64_t i = 0; i < parent_.size(); ++i) parent_[i] = static_cast<std::uint32_t>(i);
  }

  /// Joins the runs of row y with those of row y - 1.
  void join_row(std::int64_t y) {
    std::int64_t above = runs_.row_begin[y - 1];
    std::int64_t here = runs_.row_begin[y];
    const std::int64_t above_end = here;
    const std::int64_t here_end = runs_.row_begin[y + 1];
    while (above < above_end && here < here_end) {
      const Run& a = runs_.runs[above];
      const Run& b = runs_.runs[here];
      if (touch(a, b, reach_)) join(static_cast<std::uint32_t>(above), static_cast<std::uint32_t>(here));
      // Whichever ends first can touch nothing further on.
      a.end < b.end ? ++above : ++here;
    }
  }

  /// Makes every parent a root and returns it.
  std::uint32_t flatten(std::int64_t run) {
    std::uint32_t& parent = parent_[run];
    parent = parent_[parent];  // parents come first, so the parent's own is a root already
    return parent;
  }

 private:
  std::uint32_t find(std::uint32_t run) {
    while (parent_[run] != run) {
      parent_[run] = parent_[parent_[run]];
      run = parent_[run];
    }
    return run;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

  const Runs<Cpu>& runs_;
  std::int32_t reach_;
  Buffer<std::uint32_t, Cpu> parent_;
};

void join_all_rows(RunForest& forest, std::int64_t height, const Cpu& where) {
  parallel_for(height, stripe_rows, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin + 1; y < end; ++y) forest.join_row(y);
  });
  for (std::int64_t seam = stripe_rows; seam < height; seam += stripe_rows) forest.join_row(seam);
}

/// Renumbers 1, 2, ... the components of at least min_area pixels; the others become 0. Returns how many there are.
std::int64_t drop_small(const Runs<Cpu>& runs, std::int64_t found, std::int64_t min_area,
                        Buffer<std::int32_t, Cpu>& label) {
  std::vector<std::int64_t> area(static_cast<std::size_t>(found) + 1, 0);
  for (std::int64_t i = 0; i < label.size(); ++i) {
    area[static_cast<std::size_t>(label[i])] += runs.runs[i].end - runs.runs[i].begin;
  }
  std::vector<std::int32_t> renumbered(area.size(), 0);
  std::int32_t kept = 0;
  for (std::size_t old = 1; old < area.size(); ++old) {
    if (area[old] >= min_area) renumbered[old] = ++kept;
  }
  for (std::int32_t& l : label) l = renumbered[static_cast<std::size_t>(l)];
  return kept;
}

}  // namespace

Components<Cpu> label_components(const Runs<Cpu>& runs, const DetectionConfig& config, const Cpu& where) {
  const std::int64_t count = runs.runs.size();
  check_run_count(count);
  RunForest forest(runs, reach_of(config.connectivity), where);
  join_all_rows(forest, runs.shape.height, where);

  Components<Cpu> components{Buffer<std::int32_t, Cpu>(count, where)};
  std::int32_t next = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t root = forest.flatten(i);
    components.label[i] = root == static_cast<std::uint64_t>(i) ? ++next : components.label[root];
  }
  components.found = next;
  components.count = config.min_area > 1 ? drop_small(runs, next, config.min_area, components.label) : next;
  return components;
}

void check_run_count(std::int64_t runs) {
  if (runs <= std::numeric_limits<std::int32_t>::max()) return;
  throw Error(ErrorKind::input,
              "the threshold leaves " + std::to_string(runs) +
                  " separate runs of pixels, more than 2^31: that is noise, not sources; raise detection.threshold");
}

}  // namespace srcextract
