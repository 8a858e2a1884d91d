#pragma once

#include <string>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// Checks that float32, with its 24 bits of mantissa, resolves the noise of an image. If the sky level is large
/// compared with the noise, pixel values are rounded. For a difference or a combination, the files' own pixels are
/// sampled.
///
/// Throws Error{input} if a float32 step at the sky level is more than half the noise; sigma is then at least 1 % too
/// large. Does not throw if the values in the file have no finer step.
void check_precision(const ImageInput& input, const Extraction& extraction);

/// Returns why an image may seem to have no noise: that float32 does not resolve the noise of its file, or of the file
/// of its reference. Returns an empty text if that is not so, or if a float32 step is less than half of `sigma`, the
/// noise that was found. Samples the pixels.
std::string lost_noise(const ImageInput& input, double sigma = 0);

/// Returns a warning that float32 resolves the noise of an image badly, or that its file has lost the noise in float32.
/// Returns an empty text if that is not so.
std::string precision_warning(const ImageInput& input, const Extraction& extraction);

}  // namespace srcextract
