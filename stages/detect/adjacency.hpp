#pragma once

#include "stages/core/host_device.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Whether two runs of neighbouring rows touch. `reach` is 0 for connectivity 4 (sides), and 1 for 8 (sides or
/// corners).
SRCEXTRACT_HOST_DEVICE inline bool touch(const Run& a, const Run& b, std::int32_t reach) {
  return a.begin < b.end + reach && b.begin < a.end + reach;
}

inline std::int32_t reach_of(std::int64_t connectivity) {
  return connectivity == 8 ? 1 : 0;
}

}  // namespace srcextract
