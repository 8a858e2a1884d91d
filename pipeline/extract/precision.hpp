#pragma once

#include "stages/core/pixel_source.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// Checks that float32 (24 bits) resolves the noise: pixels far from zero, compared with their noise, are rounded.
/// Throws Error{input} if a float32 step at the sky level is more than half the sky noise, and the file's pixels have a
/// finer step. Sigma is then at least 1 % too large.
void check_precision(const PixelFormat& format, const Background& background);

}  // namespace srcextract
