#pragma once

#include <string>

namespace srcextract {

/// The unit of an image's pixel values, from BUNIT in its header (80-column cards): spelt as the FITS Standard spells
/// units, so that what reads the catalogue understands it. Counts and electrons are `count`, data numbers `adu`; an
/// image that does not say, or says what is no FITS unit, is taken to hold `count`.
std::string pixel_unit(const std::string& header);

}  // namespace srcextract
