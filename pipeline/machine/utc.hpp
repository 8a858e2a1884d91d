#pragma once

#include <chrono>
#include <string>

namespace srcextract {

/// ISO 8601 time in UTC: 2026-11-21T02:00:00Z.
std::string utc(std::chrono::system_clock::time_point time);

}  // namespace srcextract
