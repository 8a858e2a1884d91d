#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Input of measure_empty_apertures(): an image, its noise, and its sources.
struct SkyBetweenSources {
  const Image<float, Cpu>& image;  ///< masked pixels are NaN
  /// variance of each pixel; an empty image means that every pixel has the variance of the sky
  const Image<float, Cpu>& variance;
  const Runs<Cpu>& runs;                   ///< runs (consecutive pixels of a row) above the threshold
  const Buffer<std::int32_t, Cpu>& label;  ///< label of each run; above 0 if the run belongs to a source
  const Levels& levels;
  const SkyMesh<Cpu>* noise = nullptr;  ///< mesh with the noise of the sky; null: the noise is levels.sigma everywhere
  bool scaled = false;  ///< unit of `variance`: levels.noise_scale squared if true, else the variance of the sky
};

/// Largest number of empty apertures per radius. With this number the scatter has an uncertainty of 2.3 %.
inline constexpr std::int64_t most_empty_apertures = 2500;

/// A radius is used in the fit if it has at least least_empty_apertures apertures. A law is fitted if at least
/// least_radii radii are used.
inline constexpr std::int64_t least_empty_apertures = 50;
inline constexpr int least_radii = 4;

/// Measures how much sums over circular apertures scatter where there is no source, for radii r of 1.5 to 12 pixels in
/// steps of sqrt 2.
///
/// The image is divided into square cells. A cell is wide enough for a circle, and so wide that there are at most
/// most_empty_apertures cells. A circle consists of the pixels up to r from its central pixel. Pseudo-random numbers
/// (splitmix64 of the cell's number) give eight positions in each cell. The circle is put at the first suitable
/// position. A position is suitable if
/// - no pixel of the circle is masked or outside the image;
/// - the circle's pixels are not all equal, as in padding;
/// - no pixel of a sure source is within 3 pixels of the circle. A sure source has a pixel 5 sigma above the
///   background, or has more pixels than the largest circle.
///
/// Other pixels above the threshold may be noise, as many faint detections are. Leaving such pixels out would make the
/// scatter too small. Circles of one radius do not overlap.
///
/// Each sum of pixels above the background is divided by the root of the sum of its pixels' variances, so that weight
/// maps are taken into account. The scatter of these ratios is 1.4826 times their median absolute deviation, which the
/// wings of sources hardly change. alpha and beta come from a straight line fitted to ln(scatter) and ln N, weighted by
/// the number of apertures. beta is limited to 1/2 to 1. The result does not depend on the number of threads. Radii
/// with too few apertures or without scatter are reported, but not used in the fit.
ApertureNoise measure_empty_apertures(const SkyBetweenSources& sky, const Cpu& where);

}  // namespace srcextract
