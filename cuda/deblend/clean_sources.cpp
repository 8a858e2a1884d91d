#include "stages/deblend/clean_sources.hpp"

#include "stages/core/error.hpp"

namespace srcextract {

/// choose_machine (pipeline/machine/backend.hpp) says so before an image is read.
Cleaned<Gpu> clean_sources(const DeblendImages<Gpu>&, const Uncleaned<Gpu>&, const Config&, std::int64_t, const Gpu&) {
  throw Error(
      ErrorKind::config,
      "deblend.clean runs on the CPU alone; leave --backend out, or give --backend cpu, or set deblend.clean to "
      "false");
}

}  // namespace srcextract
