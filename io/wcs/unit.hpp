#pragma once

#include <optional>
#include <string>

namespace srcextract {

/// Returns a unit in the spelling of the FITS Standard; empty if the text is no unit. Accepts common spellings of
/// observatories, such as JY/BEAM, counts and DN/s. Electrons become counts. The micro sign, in UTF-8 or Latin-1,
/// becomes u.
std::string fits_unit(const std::string& text);

/// Returns a unit in the spelling of VOUnits 1.0, from any spelling that unit_factor() accepts. Examples: "count/s",
/// "mag.arcsec**-2", "10**-17erg.cm**-2.s**-1". Empty if the text is no unit.
std::string vo_unit(const std::string& text);

/// Returns true if a FITS unit is per beam, pixel, angle or solid angle, such as Jy/beam, MJy/sr and mag/arcsec2.
bool is_per_area(const std::string& unit);

/// Returns the factor that converts values in `from` to values in `to`. Units may be spelt as in SExtractor, Astropy,
/// VOUnits or FITS: "mag * arcsec**(-2)", "mag / arcsec2", "mag arcsec-2". Equal texts give 1. Returns nothing if a
/// unit is empty or unknown, or if the units measure different quantities. Counts, photons and adu count as one
/// quantity.
std::optional<double> unit_factor(const std::string& from, const std::string& to);

}  // namespace srcextract
