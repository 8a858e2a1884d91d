#pragma once

#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// Gain and saturation of a frame, and other facts that its pixels alone do not show.
struct FrameLight {
  double gain = 0;        ///< in e-/count; 0 = not known
  double saturation = 0;  ///< in counts; 0 = not known
  bool rescales = false;  ///< its map of variances has only ratios, not absolute values
  /// shared_greatest() of the frame before it was resampled, since resampling spreads values. Unset: it was not
  /// resampled.
  std::optional<float> greatest = std::nullopt;
};

/// FrameLight of both frames of a difference.
struct FrameLights {
  FrameLight reference, fresh;
};

/// For each frame, a map of the variance of the sky in every pixel, of the frame's shape; null: no map.
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

/// If all values are whole, adds to each a fraction from -0.5 to 0.5. Without it, medians would be whole, too coarse
/// for a noise of a few counts. Returns the variance that this adds, 1/12; 0 if some value is not whole.
double spread_whole_numbers(std::vector<float>& values);

/// If at least this many pixels of a frame share its greatest value, it is taken as a limit of the detector.
inline constexpr std::int64_t least_shared_count = 5;

/// Returns the greatest value of a frame if at least five pixels share it, else 0. Many equal pixels mean that the
/// detector, or the type of the file, holds no larger value. Peaks of unsaturated stars differ.
float shared_greatest(const Image<float, Cpu>& frame, const Cpu& where);
float shared_greatest(const Image<float, Gpu>& frame, const Gpu& where);

/// Measures sky and noise of a frame: medians over cells of 128 x 128 pixels of each cell's clipped sky and noise, so a
/// slope of the sky is not taken for noise. In frames below 512 pixels every pixel is sampled, in the largest every
/// seventh along both axes, but in cells that are mostly masked every pixel. Whole numbers are first spread over their
/// unit. A frame without usable pixels gets the variance 0.
/// If the saturation is unknown, a greatest value that five pixels share is used, if it is 100 sigma above the sky.
/// With a map the variance is the median of the map. A map of ratios is scaled by the median over cells of the pixels'
/// variance divided by the map. The result points to the map.
FrameLevel measure_level(const Image<float, Cpu>& frame, const FrameLight& light, const Cpu& where,
                         const Image<float, Cpu>* map = nullptr);

}  // namespace srcextract
