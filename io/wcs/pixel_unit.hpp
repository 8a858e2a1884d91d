#pragma once

#include <string>

namespace srcextract {

/// Returns the unit of an image's pixels in the spelling of the FITS Standard, from BUNIT in the header (80-column
/// cards). Counts and electrons are `count`, data numbers `adu`; without BUNIT the unit is `count`. If BUNIT is no FITS
/// unit ("nanomaggies", "[Jy]"), returns an empty text, and the catalogue has no unit.
std::string pixel_unit(const std::string& header);

/// Returns the unit of a sum of pixel values.
/// - For values per pixel the divisor is dropped: "Jy/pixel" gives "Jy".
/// - For values per beam or solid angle the factor pixel is added: "pixel.Jy/beam", "pixel.MJy/sr". The sum times the
///   area of a pixel is a flux.
/// - Values in other units have sums of the same unit.
/// - If the FITS Standard cannot express the unit, the result is empty.
std::string sum_unit(const std::string& pixel_unit);

}  // namespace srcextract
