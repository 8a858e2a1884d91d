#pragma once

#include <string>

namespace srcextract {

std::string cfitsio_version();
std::string wcslib_version_text();

/// Returns true if several threads can use CFITSIO at once, which depends on how CFITSIO was built.
bool cfitsio_has_locks();

}  // namespace srcextract
