#pragma once

#include <cstdlib>
#include <string>

namespace srcextract::testing {

/// Where config/, docs/ and data/ are: the repository that this was built from, or, in an unpacked package, the folder
/// that SRCEXTRACT_SOURCE_DIR in the environment names.
inline std::string source_dir() {
  const char* named = std::getenv("SRCEXTRACT_SOURCE_DIR");
  return named != nullptr ? named : SRCEXTRACT_BUILT_FROM;
}

}  // namespace srcextract::testing
