#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// The parts of stages/clean/pixel_order.hpp, as many threads make them at once without locks: of the runs of a row
/// those that the rows down to it connect. A part is its first run, and is within that part of the next row which a run
/// is of that touches it.
///
/// Whoever joins two parts goes on to join those that they are within, so once all threads are done nothing is lost,
/// and each part was joined to another once at most.
struct SharedParts {
  static constexpr std::int32_t none = -1;

  std::int32_t* root;   ///< of each run: an earlier one of its part, or itself
  std::int32_t* below;  ///< of the first run of a part: a run that it touches on the next row; none; or closed

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const {
    root[run] = static_cast<std::int32_t>(run);
    below[run] = none;
  }

  /// The first run of the part as far as it is known by now. On the way there paths are halved.
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

  /// A run touches another on the next row.
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t run, std::int32_t under) const {
    for (;;) {
      run = find(run);
      const std::int32_t other = shared_replace(&below[run], none, under);
      if (other == none) return;
      if (other == closed) continue;  // it has just become part of another
      if (!unite(other, under, run, under)) return;
    }
  }

 private:
  /// What a part has that is one of another: what it was within is known there.
  static constexpr std::int32_t closed = -2;

  /// Makes a and b one part. If there is then something for that to be joined with, returns true and says what.
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
