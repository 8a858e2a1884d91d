#pragma once

#include <string>

namespace srcextract {

/// The unit of an image's pixel values, from BUNIT in its header (80-column cards): spelt as the FITS Standard spells
/// units, so that what reads the catalogue understands it. Counts and electrons are `count`, data numbers `adu`; an
/// image that does not say is taken to hold `count`. Empty if what it says is no FITS unit ("nanomaggies", "[Jy]"):
/// then the catalogue gives none.
std::string pixel_unit(const std::string& header);

/// The unit of a sum of pixel values in that unit. Where they are brightnesses per beam or per solid angle a sum over
/// pixels is none of these until it is multiplied by the area of a pixel: "pixel.Jy/beam", "pixel.MJy/sr". What is per
/// pixel is summed to what it is ("Jy/pixel" to "Jy"). Empty where the FITS Standard has no way to write it.
std::string sum_unit(const std::string& pixel_unit);

}  // namespace srcextract
