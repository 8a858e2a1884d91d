#include "io/fits/versions.hpp"

#include <fitsio.h>
#include <wcslib/wcs.h>
#include <zstd.h>

namespace srcextract {

// Returns the version of the headers at compile time. CFITSIO reports the version of the library at run time as a
// float, which cannot hold three numbers. Both versions are equal, because the name of the shared library changes with
// every release.
std::string cfitsio_version() {
  return std::to_string(CFITSIO_MAJOR) + "." + std::to_string(CFITSIO_MINOR) + "." + std::to_string(CFITSIO_MICRO);
}

std::string wcslib_version_text() {
  int unused[3];
  return wcslib_version(unused);
}

std::string zstd_version() {
  return ZSTD_versionString();
}

bool cfitsio_has_locks() {
  return fits_is_reentrant() != 0;
}

}  // namespace srcextract
