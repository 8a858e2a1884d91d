#pragma once

#include <optional>
#include <string>

namespace srcextract {

/// A unit in the spelling of the FITS Standard; empty if the text is none. Common spellings of observatories are
/// accepted: JY/BEAM, counts, DN/s. Electrons are counts. The micro sign, in UTF-8 or Latin-1, becomes u.
std::string fits_unit(const std::string& text);

/// A unit in the spelling of VOUnits 1.0, from any spelling that unit_factor accepts: "count/s", "mag.arcsec**-2",
/// "10**-17erg.cm**-2.s**-1". Empty if the text is none.
std::string vo_unit(const std::string& text);

/// Whether a FITS unit is per beam, pixel or solid angle: Jy/beam, MJy/sr, mag/arcsec2.
bool is_per_area(const std::string& unit);

/// Factor that converts values in `from` to values in `to`. Units may be spelt as in SExtractor, Astropy, VOUnit or
/// FITS: "mag * arcsec**(-2)", "mag / arcsec2", "mag arcsec-2". Equal texts give 1. Nothing if a unit is empty or
/// unknown, or if the units measure different things. Counts, photons and adu are one quantity.
std::optional<double> unit_factor(const std::string& from, const std::string& to);

}  // namespace srcextract
