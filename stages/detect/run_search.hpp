#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// The runs (stretches of foreground pixels) [begin, end) must be in one row, sorted. Returns the first of these runs
/// that touches `run`, a run of a neighbouring row, or is to the right of `run`. Returns `end` if there is none.
/// `reach` is as in touch().
template <class Index>
SRCEXTRACT_HOST_DEVICE Index first_not_before(const Run* runs, Index begin, Index end, const Run& run,
                                              std::int32_t reach) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (runs[middle].end + reach <= run.begin) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

}  // namespace srcextract
