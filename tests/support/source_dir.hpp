#pragma once

#include <string>

namespace srcextract::testing {

/// The folder that has config/, data/, docs/ and tests/: the one that SRCEXTRACT_SOURCE_DIR in the environment names,
/// as in an unpacked package, or else the repository that this was built from.
std::string source_dir();

/// The path of a file below that folder, as "config/default.yaml". Throws std::runtime_error if it cannot be read: a
/// test must not take a missing file for an empty one.
std::string source_file(const std::string& name);

/// The bytes of such a file. Throws as source_file().
std::string source_text(const std::string& name);

}  // namespace srcextract::testing
