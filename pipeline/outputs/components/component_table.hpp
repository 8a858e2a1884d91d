#pragma once

#include <string>

#include "config/config.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"

namespace srcextract {

/// Makes a table of fitted islands with PyBDSF's columns, in PyBDSF's units: deg, Jy, Jy/beam, and pixels from 0. An
/// island is a group of connected detected pixels.
/// - Sizes and angles are measured on the sky at the row's position. Columns with the suffix _img_plane are measured in
///   the image: angles from the y axis anticlockwise, sizes in degrees, with a pixel's side in degrees as the scale.
/// - E_RA is an arc on the sky, not divided by cos(DEC).
/// - Isl_id is the island's NUMBER in the catalogue. Gaus_id, Source_id and Isl_id count from 1; Wave_id is 0.
/// - The columns that PyBDSF lacks follow, with names in capitals, and then the columns of a cube (cube_columns.hpp).
///
/// Without a celestial WCS, RA and DEC are NaN. `config` is the result of resolve(), which sets the beam.
Table component_table(ComponentTable kind, const FittedIslands& islands, const std::string& header,
                      const std::string& pixel_unit, const Config& config, const Cpu& where);

}  // namespace srcextract
