#pragma once

#include <string>
#include <string_view>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Adds the sky columns of `config.output.columns` other than the positions, by the WCS of a FITS header. If the
/// sources have no sky positions, adds those that needs_pixel_size_alone() tells of, by measurement.pixel_scale, or
/// none if that is 0.
///
/// Second moments M of the pixel frame become J M J^T on the sky. The columns of the matrix J are the sky vectors of
/// one pixel along x and along y, at the position of the moments (io/wcs/look_at_sky.hpp).
void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where = {});

/// Whether the word is the name of a column whose values follow from the size of a pixel, such as FWHM_WORLD.
bool needs_pixel_size_alone(std::string_view word);

/// Whether a word of output.columns, the name of a column or of a group, stands for columns that need sky positions.
bool is_on_sky(std::string_view word);

}  // namespace srcextract
