#pragma once

#include <string>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Adds the further sky columns of `config.output.columns`, by the WCS of a FITS header, if the sources have sky
/// positions. Moments M become J M J^T. The columns of J are the sky vectors of one pixel along x and y at the moments'
/// position (io/wcs/local_sky.hpp).
void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where = {});

}  // namespace srcextract
