#pragma once

#include <map>
#include <string>

#include "io/files/output_file.hpp"

namespace srcextract {

/// Files of one image each, by HDU, as one file at `path` of which each is an extension; the caller commits it. Throws
/// Error{output}.
[[nodiscard]] OutputFile join_images(const std::string& path, const std::map<int, OutputFile>& images);

}  // namespace srcextract
