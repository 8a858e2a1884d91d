#pragma once

#include <string>

namespace srcextract {

std::string cfitsio_version();
std::string wcslib_version_text();

/// Returns the version of libzstd, which compresses Parquet pages. The bytes of compressed files depend on this
/// version.
std::string zstd_version();

/// Returns true if several threads can use CFITSIO at once, which depends on how CFITSIO was built.
bool cfitsio_has_locks();

}  // namespace srcextract
