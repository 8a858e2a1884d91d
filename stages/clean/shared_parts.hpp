#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// Builds the parts of stages/clean/pixel_order.hpp, by many threads at once without locks. A part is a set of runs of
/// one row that this row and earlier rows connect. Its first run represents it. If a run of the next row touches the
/// part, the part lies within that run's part.
///
/// A thread that merges two parts goes on to merge the parts of the next row in which they lie, so no connection is
/// lost. Each part is merged into another at most once.
struct SharedParts {
  static constexpr std::int32_t none = -1;

  std::int32_t* root;   ///< per run: an earlier run of its part, or the run itself
  std::int32_t* below;  ///< per first run of a part: a run on the next row that touches it, `none` or `closed`

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const {
    root[run] = static_cast<std::int32_t>(run);
    below[run] = none;
  }

  /// The first run of the part of `run`, as far as parts are merged so far. Halves the path to it, so that later
  /// searches are shorter.
  SRCEXTRACT_HOST_DEVICE std::int32_t find(std::int32_t run) const {
    for (;;) {
      const std::int32_t to = shared_load(&root[run]);
      if (to == run) return run;
      const std::int32_t next = shared_load(&root[to]);
      if (next == to) return to;
      shared_replace(&root[run], to, next);
      run = next;
    }
  }

  /// Records that `run` touches `under`, a run on the next row.
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t run, std::int32_t under) const {
    for (;;) {
      run = find(run);
      const std::int32_t other = shared_replace(&below[run], none, under);
      if (other == none) return;
      if (other == closed) continue;  // this part has just been merged into another
      if (!unite(other, under, run, under)) return;
    }
  }

 private:
  /// Value of `below` for a part that was merged into another. The thread that merged them takes over the old value.
  static constexpr std::int32_t closed = -2;

  /// Merges the parts of runs a and b. Returns true if the merged part must then be joined with a run of the next row,
  /// and sets `part` and `under` to these.
  SRCEXTRACT_HOST_DEVICE bool unite(std::int32_t a, std::int32_t b, std::int32_t& part, std::int32_t& under) const {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return false;
      const std::int32_t first = a < b ? a : b, later = a < b ? b : a;
      if (shared_replace(&root[later], later, first) != later) continue;
      std::int32_t was = shared_load(&below[later]);
      for (std::int32_t seen; (seen = shared_replace(&below[later], was, closed)) != was;) was = seen;
      part = first;
      under = was;
      return was != none;
    }
  }
};

}  // namespace srcextract
