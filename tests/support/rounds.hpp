#pragma once

#include <algorithm>
#include <cstdlib>

namespace srcextract::testing {

#if defined(SRCEXTRACT_SANITIZED)
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

/// Of what does the same many times over, as much as there is time for: all of it, or a part in a build with
/// sanitizers.
inline constexpr int share(int all) {
  return sanitized ? all / 10 : all;
}

}  // namespace srcextract::testing
