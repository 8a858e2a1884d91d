#pragma once

#include <string>

namespace srcextract {

/// Returns the version of libzstd, which compresses Parquet pages. The bytes of compressed files depend on this
/// version.
std::string zstd_version();

}  // namespace srcextract
