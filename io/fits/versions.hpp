#pragma once

#include <string>

namespace srcextract {

std::string cfitsio_version();
std::string wcslib_version_text();

/// Whether several threads can use CFITSIO at once; it can be built without the necessary locks.
bool cfitsio_has_locks();

}  // namespace srcextract
