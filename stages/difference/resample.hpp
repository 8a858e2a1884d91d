#pragma once

#include "stages/core/image.hpp"
#include "stages/core/pixel_map.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// Resamples the image on the grid of the map. Each pixel of the result is interpolated at its position in `image`, in
/// double, and rounded once to float (stages/difference/resample_pixel.hpp). A position within 1e-6 of the centre of a
/// pixel is moved to it, so a shift by whole pixels changes no value.
/// - bilinear uses 2 x 2 pixels.
/// - lanczos3 uses 6 x 6 pixels with sinc(t) sinc(t / 3) along each axis.
/// - Weights are divided by their sum over the pixels that are neither masked nor beyond the edge. Weights round alike
///   with every C library.
///
/// A pixel is masked if
/// - it has no position, or one beyond the pixels of `image`;
/// - the nearest pixel, the later of two at equal distance, is masked;
/// - less than a quarter of the weight is left, which would blow up the noise. This happens only with lanczos3, whose
///   negative weights can outweigh the few others left.
Image<float, Cpu> resample(const Image<float, Cpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Cpu& where);
Image<float, Gpu> resample(const Image<float, Gpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Gpu& where);

}  // namespace srcextract
