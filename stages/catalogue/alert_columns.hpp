#pragma once

namespace srcextract {

/// Columns that a catalogue of alerts (changes in a difference image) has in addition to the usual columns.
inline constexpr const char* alert_columns[] = {"MAG_APER", "MAGERR_APER", "FWHM_IMAGE", "ELONGATION"};

/// Further columns of alerts, which can be measured only if the PSF is known.
inline constexpr const char* alert_columns_of_stars[] = {"MAG_PSF", "MAGERR_PSF", "CHI2_PSF",
                                                         "DIPOLE",  "DIPOLE_SEP", "DIPOLE_RATIO"};

}  // namespace srcextract
