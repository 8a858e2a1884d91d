#pragma once

#include <string>

namespace srcextract {

/// The unit of an image's pixels, from BUNIT in its header (80-column cards), in the spelling of the FITS Standard.
/// Counts and electrons are `count`, data numbers `adu`; without BUNIT the unit is `count`. Empty, so that the
/// catalogue gives no unit, if BUNIT is no FITS unit ("nanomaggies", "[Jy]").
std::string pixel_unit(const std::string& header);

/// The unit of a sum of pixel values.
/// - Values per pixel lose the divisor: "Jy/pixel" gives "Jy".
/// - Other values per beam or solid angle get a factor pixel: "pixel.Jy/beam", "pixel.MJy/sr". Multiplying by the area
///   of a pixel gives a flux.
/// - Empty if the FITS Standard cannot express the unit.
std::string sum_unit(const std::string& pixel_unit);

}  // namespace srcextract
