#pragma once

#include <string>

namespace srcextract {

/// Version of the library that compresses Parquet; the file's bytes depend on it.
std::string zstd_version();

}  // namespace srcextract
