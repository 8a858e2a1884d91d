#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// The first run of [begin, end), all in one row, that does not end at least `reach` pixels before `run` begins.
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
