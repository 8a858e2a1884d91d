#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// "1 file", "2 files": a number and what it counts, as messages say it.
inline std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace srcextract
