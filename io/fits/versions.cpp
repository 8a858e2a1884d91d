#include "io/fits/versions.hpp"

#include <fitsio.h>
#include <wcslib/wcs.h>

namespace srcextract {

// Returns the version that was compiled in. CFITSIO reports its running version as a float, which cannot hold three
// numbers; its library name changes with every release, so both versions are equal.
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
