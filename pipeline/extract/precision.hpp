#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Pixels are float32, which has 24 bits: of values that lie far from zero, compared with their noise, rounding adds to
/// that noise. Throws Error{input} where it is a step of float32 at the sky's level, of which the noise is less than
/// two (sigma is 1 % too large then, or more), and the file's pixels are finer than that.
void check_precision(const PixelFormat& format, const Background& background);

}  // namespace srcextract
