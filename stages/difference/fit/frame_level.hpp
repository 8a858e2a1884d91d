#pragma once

#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// Gain and saturation of a frame, which its pixels do not tell.
struct FrameLight {
  double gain = 0;        ///< in e-/count; 0 = not known
  double saturation = 0;  ///< in counts; 0 = not known
  bool rescales = false;  ///< a map of its variances has only their ratios
  /// shared_greatest() of the frame before it was resampled, which spreads its values. Unset: it was not.
  std::optional<float> greatest = std::nullopt;
};

/// The same of both frames of a difference.
struct FrameLights {
  FrameLight reference, fresh;
};

/// Maps of the variance of the sky in every pixel, of the frames' shape; null: a frame has none.
template <class Where>
struct FrameMaps {
  const Image<float, Where>* reference = nullptr;
  const Image<float, Where>* fresh = nullptr;

  bool any() const { return reference != nullptr || fresh != nullptr; }
};
template <class Where>
const Image<float, Where>* map_of(const Image<float, Where>& variance) {
  return variance.pixels.empty() ? nullptr : &variance;
}

/// Spreads whole numbers evenly over the unit about them: medians of whole numbers are whole, too coarse for a noise of
/// a few counts. Returns the variance that this adds; 0 where not all values are whole.
double spread_whole_numbers(std::vector<float>& values);

/// So many pixels of a frame share its greatest value if there is a limit.
inline constexpr std::int64_t least_shared_count = 5;

/// The greatest value of a frame, if five of its pixels or more share it: the detector, or the type of the file, holds
/// no more. Brightest pixels of stars that are not saturated have different values. 0: there is none.
float shared_greatest(const Image<float, Cpu>& frame, const Cpu& where);
float shared_greatest(const Image<float, Gpu>& frame, const Gpu& where);

/// Medians over cells of 128 x 128 pixels, of their clipped sky and noise: a slope of the sky is no noise. Samples
/// every pixel of frames of less than 512 pixels, and every seventh along both axes of the largest, but every pixel of
/// cells that are mostly masked. Whole numbers are spread over their unit first. A frame without usable pixels has no
/// noise. Where the saturation is not known, a greatest value that five pixels share, 100 sigma above the sky or more,
/// takes its place. With a map the variance is the median of the map's. One of ratios is scaled by the median over
/// cells of the variance of pixels in units of the map's. The result points to the map.
FrameLevel measure_level(const Image<float, Cpu>& frame, const FrameLight& light, const Cpu& where,
                         const Image<float, Cpu>* map = nullptr);

}  // namespace srcextract
