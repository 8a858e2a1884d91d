#pragma once

#include <string>

namespace srcextract {

std::string cfitsio_version();
std::string wcslib_version_text();

/// Whether files can be read by several threads at once: CFITSIO can be built without the locks for that.
bool cfitsio_has_locks();

}  // namespace srcextract
