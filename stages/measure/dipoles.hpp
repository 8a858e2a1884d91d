#pragma once

#include <cstdint>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract {

/// Column values of a change (a source of a difference image). A change has a partner if both have opposite signs and
/// each is the other's nearest change of the opposite sign.
struct Dipole {
  double separation;  ///< distance to the partner in pixels; NaN if there is no partner within reach
  double share;       ///< flux of the brighter of the two divided by the sum of both fluxes; NaN without a partner
  std::int16_t is_dipole;
};

/// Columns of a difference image if the FWHM of the stars is known.
inline constexpr ColumnOf<Dipole> dipole_columns[] = {
    {"DIPOLE", "", "meta.code", "1: half of a pair of opposite changes, as a moved star leaves it", "photometry",
     [](const Dipole& pair) { return pair.is_dipole; }, of_found},
    {"DIPOLE_SEP", "pixel", "pos.angDistance", "Distance of the nearest change of the other sign", "psf",
     [](const Dipole& pair) { return pair.separation; }, of_found},
    {"DIPOLE_RATIO", "", "phot.flux;arith.ratio", "Share of the brighter one in the FLUX_PSF of both", "psf",
     [](const Dipole& pair) { return pair.share; }, of_found},
};

/// Adds the dipole columns that `choice` contains. `fwhm` is the FWHM of stars in pixels; partners are at most 2.5 FWHM
/// apart. A pair is a dipole if the brighter change has less than 0.65 of both fluxes, and the root of the sum of both
/// squared SNR is above 5 sqrt 2. Their fluxes are FLUX_PSF, or FLUX_ISO if the former are not known: FLUX_ISO has only
/// the pixels above the threshold, so that the fainter of two equal halves would count for less. LSST's DipoleFitTask
/// has the same criteria for footprints, and also fits dipoles, which add_dipoles() does not.
void add_dipoles(double fwhm, const ColumnChoice& choice, Sources& sources);

}  // namespace srcextract
