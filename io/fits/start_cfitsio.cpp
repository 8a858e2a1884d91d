#include "io/fits/start_cfitsio.hpp"

#include <fitsio.h>

namespace srcextract {

void start_cfitsio() {
  [[maybe_unused]] static const int status = fits_init_cfitsio();  // runs once; other threads wait for the end
}

}  // namespace srcextract
