#pragma once

namespace srcextract {

/// Columns that alerts of a difference image contain beside the usual ones.
inline constexpr const char* alert_columns[] = {"MAG_APER", "MAGERR_APER", "FWHM_IMAGE", "ELONGATION"};

/// Columns of alerts that can be measured only if the shape of the stars is known.
inline constexpr const char* alert_columns_of_stars[] = {"MAG_PSF", "MAGERR_PSF", "CHI2_PSF",
                                                         "DIPOLE",  "DIPOLE_SEP", "DIPOLE_RATIO"};

}  // namespace srcextract
