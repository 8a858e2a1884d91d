#include "io/fits/versions.hpp"

#include <fitsio.h>
#include <wcslib/wcs.h>

namespace srcextract {

// CFITSIO reports its running version as a float, which cannot hold three numbers. Its library name changes with every
// release, so the compiled version is the running one.
std::string cfitsio_version() {
  return std::to_string(CFITSIO_MAJOR) + "." + std::to_string(CFITSIO_MINOR) + "." + std::to_string(CFITSIO_MICRO);
}

std::string wcslib_version_text() {
  int unused[3];
  return wcslib_version(unused);
}

bool cfitsio_has_locks() {
  return fits_is_reentrant() != 0;
}

}  // namespace srcextract
