#pragma once

#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// Gain and saturation of a frame, which its pixels do not tell.
struct FrameLight {
  double gain = 0;        ///< in e-/count; 0 = not known
  double saturation = 0;  ///< in counts; 0 = not known
};

/// The same of both frames of a difference.
struct FrameLights {
  FrameLight reference, fresh;
};

/// Spreads whole numbers evenly over the unit about them: medians of whole numbers are whole, too coarse for a noise of
/// a few counts. Returns the variance that this adds; 0 where not all values are whole.
double spread_whole_numbers(std::vector<float>& values);

/// Medians over cells of 128 x 128 pixels, of their clipped sky and noise: a slope of the sky is no noise. Samples
/// every pixel of frames of less than 512 pixels, and every seventh along both axes of the largest. Whole numbers are
/// spread over their unit first. A frame without usable pixels has no noise. Where the saturation is not known, a
/// greatest value that five pixels share, 100 sigma above the sky or more, takes its place.
FrameLevel measure_level(const Image<float, Cpu>& frame, const FrameLight& light, const Cpu& where);

}  // namespace srcextract
