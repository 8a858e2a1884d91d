#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/runs.hpp"
#include "stages/detect/adjacency.hpp"

namespace srcextract {

/// Calls f(here, first, last) for every run (stretch of foreground pixels) of row y. `here` is the run's index. The
/// runs of row y - 1 that touch this run have the indices [first, last). `reach` is as in touch().
template <class F>
void for_each_touched(const Runs<Cpu>& runs, std::int64_t y, std::int32_t reach, const F& f) {
  const Run* const all = runs.runs.data();
  auto first = static_cast<std::int32_t>(runs.row_begin[y - 1]);
  const auto end = static_cast<std::int32_t>(runs.row_begin[y]);
  for (std::int32_t here = end; here < runs.row_begin[y + 1]; ++here) {
    const Run& run = all[here];
    while (first < end && all[first].end + reach <= run.begin) ++first;
    std::int32_t last = first;
    while (last < end && touch(all[last], run, reach)) ++last;
    f(here, first, last);
  }
}

/// A union-find structure over runs, given by their indices. A parent never has a higher index than its child, so a
/// tree's root is its first run. Parents are stored in the caller's buffer, which must outlive this object.
class RunForest {
 public:
  explicit RunForest(Buffer<std::int32_t, Cpu>& parent) : parent_(parent.data()) {}

  void plant(std::int64_t i) { parent_[i] = static_cast<std::int32_t>(i); }

  std::int32_t find_root(std::int32_t i) {
    i = parent_[i];
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Joins the trees whose roots are a and b. Returns the root of the joined tree.
  std::int32_t join(std::int32_t a, std::int32_t b) {
    const std::int32_t root = std::min(a, b);
    parent_[std::max(a, b)] = root;
    return root;
  }

 private:
  std::int32_t* parent_;
};

}  // namespace srcextract
