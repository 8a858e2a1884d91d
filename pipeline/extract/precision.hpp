#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Checks that float32, with its 24 bits of mantissa, resolves the noise. If the sky level is large compared with the
/// noise, pixel values are rounded.
///
/// Throws Error{input} if a float32 step at the sky level is more than half the noise; sigma is then at least 1 % too
/// large. Does not throw if the values in the file have no finer step.
void check_precision(const PixelFormat& format, const Background& background);

}  // namespace srcextract
