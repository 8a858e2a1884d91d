#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// An image, with all that is needed to measure its noise in places without sources.
struct SkyBetweenSources {
  const Image<float, Cpu>& image;          ///< NaN: bad
  const Image<float, Cpu>& variance;       ///< per pixel; without pixels: every pixel has the variance of the sky
  const Runs<Cpu>& runs;                   ///< runs above the threshold
  const Buffer<std::int32_t, Cpu>& label;  ///< per run; above 0: part of a source
  const Levels& levels;
  const SkyMesh<Cpu>* noise = nullptr;  ///< mesh with the noise of the sky; null: levels.sigma everywhere
  bool scaled = false;  ///< unit of variances: levels.noise_scale squared if true, else the variance of the sky
};

/// Largest number of empty apertures per radius. The scatter is then known to 2.3 %.
inline constexpr std::int64_t most_empty_apertures = 2500;

/// Least number of apertures for a radius to be used, and least number of used radii for fitting a law.
inline constexpr std::int64_t least_empty_apertures = 50;
inline constexpr int least_radii = 4;

/// Measures how much sums over circular apertures scatter where there is no source, for radii r of 1.5 to 12 pixels in
/// steps of sqrt 2.
///
/// The image is divided into square cells. A cell is wide enough for a circle, and so wide that there are at most
/// most_empty_apertures cells. A circle has the pixels up to r from its central pixel. splitmix64 of a cell's number
/// gives eight places to try; the circle is put at the first suitable place. A place is suitable if
/// - no pixel of the circle is masked or outside of the image;
/// - not all of its pixels are equal, as in padding;
/// - no pixel is within 3 pixels of a sure source: one with a pixel 5 sigma above the background, or larger than the
///   largest circle.
///
/// Other pixels above the threshold may be noise, as are many faint detections; leaving them out would make the scatter
/// too small. Circles of one radius do not overlap.
///
/// Each sum, above the background, is divided by the root of the sum of its pixels' variances, so that maps of weights
/// are taken into account. The scatter of these ratios is 1.4826 times their median absolute deviation, which wings of
/// sources hardly change. alpha and beta come from a straight line through the logarithms, weighted by the number of
/// apertures; beta is kept between 1/2 and 1. The result does not depend on the number of threads. Radii with too few
/// apertures or without scatter are reported, but not used in the fit.
ApertureNoise measure_empty_apertures(const SkyBetweenSources& sky, const Cpu& where);

}  // namespace srcextract
