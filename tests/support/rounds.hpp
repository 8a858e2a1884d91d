#pragma once

#include <algorithm>
#include <cstdlib>

namespace srcextract::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// How many of the `all` rounds of a random search to do: all where SRCEXTRACT_LONG is set (scripts/test.sh --long),
/// else a quarter, and a twentieth in a build with sanitizers, where each takes several times as long; at least one.
inline int rounds(int all) {
  if (std::getenv("SRCEXTRACT_LONG") != nullptr) return all;
  return std::max(1, all / (sanitized ? 20 : 4));
}

}  // namespace srcextract::testing
