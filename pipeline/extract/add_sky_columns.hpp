#pragma once

#include <string>
#include <string_view>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Adds the further sky columns of `config.output.columns`, by the WCS of a FITS header, if the sources have sky
/// positions. Moments M become J M J^T. The columns of J are the sky vectors of one pixel along x and y at the moments'
/// position (io/wcs/look_at_sky.hpp).
void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where = {});

/// Whether a word of output.columns, a column or a group, stands for columns that need sky positions.
bool is_on_sky(std::string_view word);

}  // namespace srcextract
