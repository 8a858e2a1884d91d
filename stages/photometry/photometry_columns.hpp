#pragma once

#include <span>

#include "stages/photometry/families.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Adds to `sources` the columns that `config.output.columns` requests and that are computed from `photometry` or the
/// usual columns. Columns of flag maps, dipoles and sky positions are added elsewhere. Sets the bits of FLAGS that the
/// results imply, and stores in `sources` which columns are to be written. `sources` must have the usual columns, and
/// `calibration` one element per source. Forced photometry (forced.hpp) also has the columns FLUXLIM_APER, MAGLIM_APER,
/// FLUXLIM_AUTO and MAGLIM_AUTO, which a configuration cannot request. Runs on the host also if a GPU measured
/// `photometry`.
void add_measured_columns(const Photometry<Cpu>& photometry, std::span<const FluxCalibration> calibration,
                          const Settings& config, Sources& sources, const Cpu& where = {});

/// Converts the noise of positions in `photometry` from the unit FluxCalibration::pixel of `found` to that of
/// `calibration`, which the columns use. `found` is the calibration of the detection image. Both have one element per
/// source, or are empty if nothing is measured.
void express_found_noise(std::span<const FluxCalibration> found, std::span<const FluxCalibration> calibration,
                         Photometry<Cpu>& photometry);

}  // namespace srcextract
