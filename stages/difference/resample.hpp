#pragma once

#include "config/settings/difference.hpp"
#include "stages/core/image.hpp"
#include "stages/core/pixel_map.hpp"

namespace srcextract {

/// The image on the grid of the map: each pixel is interpolated at its position in `image`, in double, and rounded once
/// to float (stages/difference/resample_pixel.hpp). bilinear takes 2 x 2 pixels, lanczos3 6 x 6 with sinc(t) sinc(t /
/// 3) along each axis, weights divided by their sum, which is that of those that are neither masked nor beyond the
/// edge. A position within 1e-6 of the centre of a pixel is that centre: a shift by whole pixels changes none.
///
/// A pixel is masked where it has no position, or one beyond the pixels of `image`; where the pixel nearest to it, the
/// later of two, is masked; and where less than a quarter of the weight is left, which would blow up the noise
/// (lanczos3 alone: its negative weights can outweigh what few others there are). The weights round the same with every
/// C library.
Image<float, Cpu> resample(const Image<float, Cpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Cpu& where);
Image<float, Gpu> resample(const Image<float, Gpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Gpu& where);

}  // namespace srcextract
