#pragma once

#include <map>
#include <string>

#include "io/files/output_file.hpp"

namespace srcextract {

/// Joins single-image files, by HDU, into one file at `path` with an extension for each; the caller commits it. Throws
/// Error{output}.
[[nodiscard]] OutputFile join_images(const std::string& path, const std::map<int, OutputFile>& images);

}  // namespace srcextract
