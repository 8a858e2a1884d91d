#pragma once

#include <optional>
#include <string>

namespace srcextract {

/// A unit as the FITS Standard spells it, also from what observatories write instead: JY/BEAM, counts, DN/s; electrons
/// are counts; the sign of micro, in UTF-8 or Latin-1, is u. Empty if it is none.
std::string fits_unit(const std::string& text);

/// The same unit as VOUnits 1.0 spells it, in any spelling that unit_factor takes: "count/s", "mag.arcsec**-2",
/// "10**-17erg.cm**-2.s**-1". Empty if it is none.
std::string vo_unit(const std::string& text);

/// Whether a FITS unit is one of something per beam, pixel, or solid angle on the sky: Jy/beam, MJy/sr, mag/arcsec2.
bool is_per_area(const std::string& unit);

/// The number that values in `from` are multiplied by to be in `to`, in any spelling of SExtractor, Astropy, VOUnit or
/// FITS: "mag * arcsec**(-2)", "mag / arcsec2", "mag arcsec-2". Equal texts give 1. Nothing if either is empty or not
/// understood, or they measure different things. Counts, photons and adu are one thing.
std::optional<double> unit_factor(const std::string& from, const std::string& to);

}  // namespace srcextract
