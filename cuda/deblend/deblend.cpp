#include "stages/deblend/deblend.hpp"

#include "stages/core/error.hpp"

namespace srcextract {

/// choose_machine (pipeline/machine/backend.hpp) says so before an image is read.
Deblended<Gpu> deblend_sources(const DeblendImages<Gpu>&, const Runs<Gpu>&, const Components<Gpu>&, const Config&,
                               const Gpu&) {
  throw Error(ErrorKind::config,
              "deblend.method tree runs on the CPU alone; leave --backend out, or give --backend cpu, or set "
              "deblend.method to none");
}

}  // namespace srcextract
