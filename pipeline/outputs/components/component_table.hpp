#pragma once

#include <string>

#include "config/config.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// Makes a table of fitted islands with PyBDSF's columns, in its units: deg, Jy, Jy/beam, and 0-based pixels.
/// - Sizes and angles are those on the sky at the row's position. With suffix _img_plane they are those in the image,
///   from its y axis anticlockwise, in degrees of the pixel's side.
/// - E_RA is an arc on the sky: it is not divided by cos(DEC).
/// - Isl_id is NUMBER of the catalogue. Ids are counted from 1.
/// - Columns that PyBDSF lacks follow in capitals, then those of a cube (cube_columns.hpp).
/// Without a celestial WCS, RA and DEC are NaN. `config` is resolved: it has the beam.
Table component_table(ComponentTable kind, const FittedIslands& islands, const std::string& header,
                      const std::string& pixel_unit, const Config& config, const Cpu& where);

}  // namespace srcextract
