#pragma once

#include <span>

#include "config/config.hpp"
#include "stages/photometry/families.hpp"

namespace srcextract {

/// Fills the columns that `config.output.columns` asks for beside the usual ones, and the bits of FLAGS that follow
/// from what was measured; notes which columns are to be written. `sources` has all others, and `calibration` an
/// element for each of them. FLUXLIM_APER, MAGLIM_APER and those of AUTO, which configurations cannot ask for, are of
/// forced photometry (forced.hpp). On the host for both back ends.
void add_measured_columns(const Photometry<Cpu>& photometry, std::span<const FluxCalibration> calibration,
                          const Config& config, Sources& sources, const Cpu& where = {});

/// The noise of positions that was measured in the image in which sources were found, whose calibration is `found`, in
/// the units of `calibration`, in which columns take it: an element for each source, or none where nothing is measured.
void express_found_noise(std::span<const FluxCalibration> found, std::span<const FluxCalibration> calibration,
                         Photometry<Cpu>& photometry);

}  // namespace srcextract
