#pragma once

namespace srcextract {

/// The columns that alerts of a difference tell, beyond the usual ones.
inline constexpr const char* alert_columns[] = {"MAG_APER", "MAGERR_APER", "FWHM_IMAGE", "ELONGATION"};

/// The columns of alerts that need the shape of the stars.
inline constexpr const char* alert_columns_of_stars[] = {"MAG_PSF", "MAGERR_PSF", "CHI2_PSF",
                                                         "DIPOLE",  "DIPOLE_SEP", "DIPOLE_RATIO"};

}  // namespace srcextract
