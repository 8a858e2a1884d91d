#pragma once

#include <optional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/frame_pixel.hpp"
#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// Gain and saturation of a frame, and other facts that cannot be measured from its pixels.
struct FrameLight {
  double gain = 0;        ///< in e-/count; 0: not known
  double saturation = 0;  ///< in counts; 0: not known
  /// True if only the ratios of the variances in the frame's map are valid, not their absolute values.
  bool rescales = false;
  /// shared_greatest() of the frame before resampling, since resampling makes equal values different. If there is no
  /// value, measure_level() computes it.
  std::optional<float> greatest = std::nullopt;
  const std::vector<double>* psf = nullptr;  ///< the frame's PSF (numbers of PsfModel); null: not known
  const Square* shared = nullptr;            ///< resampled_noise(); null: the frame is not resampled

  /// The variance that resampling leaves in a pixel, of noise of variance 1.
  double variance_left() const { return shared == nullptr ? 1 : shared->at(0, 0); }
};

struct FrameLights {
  FrameLight reference, fresh;
};

/// For each frame, a map with the variance of the sky at every pixel, with the frame's shape; null if there is no map.
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

/// If all values are integers, adds a different fraction from -0.5 to 0.5 to each value. Without these fractions a
/// median would be an integer, too coarse if the noise is a few counts. Returns the variance of the fractions, 1/12, or
/// 0 if some value is not an integer.
double spread_whole_numbers(std::vector<float>& values);

/// Level and noise of the sky in some pixels of a frame.
struct CellSky {
  float middle = 0;
  float sigma = -1;  ///< negative: too few pixels
};

/// Measures the sky in at least 128 pixels: the median after three rounds in which pixels beyond 3 sigma are left out,
/// so that stars move it less. Changes `values`; `distances` is room for as many.
CellSky sky_of(std::vector<float>& values, std::vector<float>& distances);

/// If at least this many pixels of a frame have the frame's greatest value, that value is taken as the saturation.
inline constexpr std::int64_t least_shared_count = 5;

/// Returns the greatest value of a frame if at least least_shared_count pixels have this value, else 0. Several pixels
/// of equal greatest value mean that the detector or the file's data type cannot represent a larger value. The peaks of
/// unsaturated stars have different values.
float shared_greatest(const Image<float, Cpu>& frame, const Cpu& where);
float shared_greatest(const Image<float, Gpu>& frame, const Gpu& where);

/// Measures sky and noise of a frame. Both are measured in cells of 128 x 128 pixels after clipping outliers. The
/// results are the medians over all cells, so that a slope of the sky is not taken for noise. In frames below 512
/// pixels every pixel is used, in the largest frames every seventh along both axes. In cells with few good pixels every
/// pixel is used. Integer values are first changed by spread_whole_numbers(). A frame without usable pixels gets the
/// variance 0.
///
/// If the saturation is unknown, shared_greatest() is used if it is above 0 and more than 100 sigma above the sky.
///
/// If there is a map, the variance is the median of the map. If only ratios in the map are valid, the map is scaled by
/// the median over cells of (variance of pixels) / (value of the map). The result keeps a pointer to the map's pixels.
///
/// Photon noise, and a map that is not scaled, are of pixels before resampling. They are multiplied by the variance
/// that resampling leaves of 1.
FrameLevel measure_level(const Image<float, Cpu>& frame, const FrameLight& light, const Cpu& where,
                         const Image<float, Cpu>* map = nullptr);

}  // namespace srcextract
