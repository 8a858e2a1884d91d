#pragma once

#include <cstdint>

#include "stages/catalogue/declared_columns.hpp"

namespace srcextract {

/// What the columns say of a change and its partner: the nearest change of the opposite sign, if each is the nearest to
/// the other.
struct Dipole {
  double separation;  ///< their distance in pixels; NaN: no such change within reach
  double share;       ///< fraction of the light of both in the brighter one; NaN as above
  std::int16_t is_dipole;
};

/// These columns are for a difference whose stars have a known width.
inline constexpr ColumnOf<Dipole> dipole_columns[] = {
    {"DIPOLE", "", "meta.code", "1: half of a pair of opposite changes, as a moved star leaves it", "photometry",
     [](const Dipole& pair) { return pair.is_dipole; }, of_found},
    {"DIPOLE_SEP", "pixel", "pos.angDistance", "Distance of the nearest change of the other sign", "psf",
     [](const Dipole& pair) { return pair.separation; }, of_found},
    {"DIPOLE_RATIO", "", "phot.flux;arith.ratio", "Share of the brighter one in the FLUX_ISO of both", "psf",
     [](const Dipole& pair) { return pair.share; }, of_found},
};

/// Adds the dipole columns that `choice` asks for. Two changes of opposite sign can pair at a distance of up to 2.5
/// FWHM of the stars. A pair is a dipole if each change has less than 0.65 of the light of both, and the root of the
/// sum of their squared SNR is above 5 sqrt 2. This is the rule for footprints of LSST's DipoleFitTask, without its
/// fit.
void add_dipoles(double fwhm, const ColumnChoice& choice, Sources& sources);

}  // namespace srcextract
