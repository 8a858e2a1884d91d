#pragma once

#include <string>

namespace srcextract {

/// Of the library by which Parquet is compressed, on which the bytes depend.
std::string zstd_version();

}  // namespace srcextract
