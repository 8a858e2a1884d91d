#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/outputs/cutout_window.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Sides in pixels of an alert's cut-outs, and of the square from which features are computed; the same as in ZTF.
inline constexpr int cutout_side = 63, feature_side = 5;

/// The pixels of a square around `centre`, row by row. Masked pixels and pixels outside the image are NaN.
std::vector<float> cut_stamp(const Image<float, Cpu>& image, const PixelPlace& centre, int side);

/// Features of a source in a difference, from a square of pixels around the source. The features help to tell stars
/// from halves of dipoles (pairs of opposite residuals) and from sources that a mask cuts.
struct StampFeatures {
  std::int32_t nneg = 0;  ///< number of pixels whose sign differs from the source's
  std::int32_t nbad = 0;  ///< number of pixels that are masked or outside the image
  double sumrat = 0;  ///< sum of the unmasked pixels times the source's sign, over the sum of their absolute values;
                      ///< NaN if that is 0
};

/// Computes features; `sign` is the source's SIGN. Adds pixels in the order of `pixels`, so that results are
/// reproducible.
StampFeatures features_of(std::span<const float> pixels, int sign);

}  // namespace srcextract
