#pragma once

#include <span>

#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Fills in `sources` the columns that `config.output.columns` asks for and that follow from `photometry` or the usual
/// columns; columns of flag maps, dipoles and the sky are filled elsewhere. Sets the bits of FLAGS that follow from the
/// results. Also notes which columns are to be written. `sources` must have the usual columns, and `calibration` one
/// element per source. FLUXLIM_APER, MAGLIM_APER and those of AUTO belong to forced
/// photometry (forced.hpp); configurations cannot ask for them. Runs on the host for both back ends.
void add_measured_columns(const Photometry<Cpu>& photometry, std::span<const FluxCalibration> calibration,
                          const Settings& config, Sources& sources, const Cpu& where = {});

/// Converts the noise of positions in `photometry` from the unit of `found` to the unit of `calibration`, which columns
/// use. `found` is the calibration of the image in which sources were found. Both have one element per source, or none
/// if nothing is measured.
void express_found_noise(std::span<const FluxCalibration> found, std::span<const FluxCalibration> calibration,
                         Photometry<Cpu>& photometry);

}  // namespace srcextract
