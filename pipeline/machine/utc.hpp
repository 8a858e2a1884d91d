#pragma once

#include <array>
#include <chrono>
#include <ctime>
#include <string>

namespace srcextract {

/// Formats a time in UTC by ISO 8601: 2026-11-21T02:00:00Z.
inline std::string utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

}  // namespace srcextract
