#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// Connects runs to parts (pixel_order.hpp) with many threads at once and without locks. A part consists of runs of one
/// row that are connected within this row and earlier rows. The first of these runs stands for the part. If a run of
/// the next row touches the part, the part belongs to the part of that run.
///
/// A thread that merges two parts of a row must also merge the parts of the next row that contain them. The thread does
/// so at once, so no connection is lost. A part is merged into another part at most once.
struct SharedParts {
  static constexpr std::int32_t none = -1;

  std::int32_t* root;  ///< per run: the run itself or an earlier run of the same part
  /// per run that stands for a part: a run on the next row that touches the part, `none` or `closed`
  std::int32_t* below;

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const {
    root[run] = static_cast<std::int32_t>(run);
    below[run] = none;
  }

  /// The first run of the part of `run`, as far as parts are merged by now. Shortens the path in `root`, so that later
  /// searches take less time.
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

  /// Connects `run` with `under`, a run on the next row that touches it.
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t run, std::int32_t under) const {
    for (;;) {
      run = find(run);
      const std::int32_t other = shared_replace(&below[run], none, under);
      if (other == none) return;
      if (other == closed) continue;  // another thread has just merged this part into another part
      if (!unite(other, under, run, under)) return;
    }
  }

 private:
  /// Value of `below` for a part that was merged into another. The merging thread continues with the previous value.
  static constexpr std::int32_t closed = -2;

  /// Merges the parts of runs a and b of the same row. If the merged part must also be connected with a run of the next
  /// row, returns true and sets `part` and `under` to the part and this run.
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
