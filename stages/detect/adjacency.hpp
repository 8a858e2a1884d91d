#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Whether two runs (stretches of foreground pixels) of neighbouring rows touch. `reach` is 0 for connectivity 4
/// (pixels touch at sides), and 1 for connectivity 8 (pixels touch at sides or corners).
SRCEXTRACT_HOST_DEVICE inline bool touch(const Run& a, const Run& b, std::int32_t reach) {
  return a.begin < b.end + reach && b.begin < a.end + reach;
}

inline std::int32_t reach_of(std::int64_t connectivity) {
  return connectivity == 8 ? 1 : 0;
}

}  // namespace srcextract
