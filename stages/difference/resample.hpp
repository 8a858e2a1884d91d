#pragma once

#include "stages/core/image.hpp"
#include "stages/core/pixel_map.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// Resamples the image on the grid of the map. Each pixel of the result is interpolated at its position in `image`, in
/// double, and rounded once to float. A position within 1e-6 pixels of the centre of a pixel is moved to this centre,
/// so that a shift by whole pixels does not change values.
/// - bilinear uses 2 x 2 pixels.
/// - lanczos3 uses 6 x 6 pixels with sinc(t) sinc(t / 3) along each axis.
/// - Weights are divided by their sum over the pixels that are neither masked nor beyond the edge. The C library does
///   not affect weights.
///
/// A pixel is masked if
/// - the map gives no position, or a position outside of `image`;
/// - the nearest pixel of `image` is masked; of two at equal distance, the pixel of higher index counts;
/// - the remaining weights have a sum of less than a quarter of the sum of all weights, so that the division would
///   increase the noise much. Only lanczos3 has negative weights, by which the sum can become so small.
Image<float, Cpu> resample(const Image<float, Cpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Cpu& where);
Image<float, Gpu> resample(const Image<float, Gpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Gpu& where);

}  // namespace srcextract
