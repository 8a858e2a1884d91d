#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Returns the first run of [begin, end), all in one row, that touches `run` or lies after it: its end plus `reach` is
/// beyond run.begin.
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
