#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/outputs/cutout_window.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Sides of an alert's cut-outs, and of the square of its features, in pixels. Both are ZTF's.
inline constexpr int cutout_side = 63, feature_side = 5;

/// The pixels of a square around a pixel, row by row; NaN where they are masked or beyond the image.
std::vector<float> cut_stamp(const Image<float, Cpu>& image, const PixelPlace& centre, int side);

/// Features of a change, from its square of pixels in the difference. They help to tell stars from halves of dipoles
/// and from sources that a mask cuts.
struct StampFeatures {
  std::int32_t nneg = 0;  ///< pixels that changed the other way
  std::int32_t nbad = 0;  ///< pixels that are masked or beyond the image
  double sumrat = 0;      ///< sum of the unmasked pixels over the sum of their absolute values; NaN: that is 0
};

/// `sign` is the change's SIGN. Sums are made in raster order.
StampFeatures features_of(std::span<const float> pixels, int sign);

}  // namespace srcextract
