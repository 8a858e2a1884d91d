#pragma once

#include <string>

namespace srcextract {

/// Whether the file is a table that `srcextract merge` wrote, which is no image to extract. Its name tells nothing, so
/// its first headers are read. False for a gzipped file, and for one that cannot be read.
bool is_merged_table(const std::string& path);

}  // namespace srcextract
