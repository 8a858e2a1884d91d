#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/core/runs.hpp"
#include "stages/detect/adjacency.hpp"

namespace srcextract {

/// Calls f(here, first, last) for the index `here` of every run of row y. [first, last) are the runs of row y - 1 that
/// touch it.
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

/// A union-find over runs. A parent is never later than its child, so the root is the first run of its tree. Parents
/// are in the caller's buffer.
class RunForest {
 public:
  explicit RunForest(Buffer<std::int32_t, Cpu>& parent) : parent_(parent.data()) {}

  void plant(std::int64_t i) { parent_[i] = static_cast<std::int32_t>(i); }

  std::int32_t find_root(std::int32_t i) {
    i = parent_[i];
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Joins the trees of the roots a and b; returns the root of both.
  std::int32_t join(std::int32_t a, std::int32_t b) {
    const std::int32_t root = std::min(a, b);
    parent_[std::max(a, b)] = root;
    return root;
  }

 private:
  std::int32_t* parent_;
};

}  // namespace srcextract
