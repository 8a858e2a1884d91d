#pragma once

#include <string>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Adds the further columns on the sky that `config.output.columns` asks for, by the WCS of a FITS header, to sources
/// that have a sky position; none to others. Moments are turned by what one pixel along x and along y is on the sky at
/// the position that they are about (io/wcs/local_sky.hpp): with J that matrix, J M J^T.
void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where = {});

}  // namespace srcextract
