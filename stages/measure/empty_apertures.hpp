#pragma once

#include <cstdint>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// An image whose sky is measured in places without sources.
struct SkyBetweenSources {
  const Image<float, Cpu>& image;          ///< NaN: bad
  const Image<float, Cpu>& variance;       ///< per pixel; without pixels: all have the variance of the sky
  const Runs<Cpu>& runs;                   ///< runs above the threshold
  const Buffer<std::int32_t, Cpu>& label;  ///< per run; above 0: part of a source
  const Levels& levels;
  const SkyMesh<Cpu>* noise = nullptr;  ///< mesh with the local noise of the sky; null: levels.sigma everywhere
  bool scaled = false;  ///< unit of variances; true: levels.noise_scale squared; false: the variance of the sky
};

/// Largest number of empty apertures per radius; the scatter is then known to 2.3 %.
inline constexpr std::int64_t most_empty_apertures = 2500;

/// Least number of apertures for a radius to count, and least number of such radii for a law.
inline constexpr std::int64_t least_empty_apertures = 50;
inline constexpr int least_radii = 4;

/// Measures how much sums over apertures scatter where there is no source, for radii r of 1.5 to 12 pixels in steps of
/// sqrt 2.
///
/// The image is divided into square cells. A cell is wide enough for a circle, and so wide that there are at most
/// most_empty_apertures cells. A circle holds the pixels no further than r from its central pixel. splitmix64 of a
/// cell's number gives eight places; the first suitable place gets the circle. A place is suitable if
/// - no pixel of it is masked or outside of the image;
/// - not all of its pixels are equal, as in padding;
/// - none is within 3 pixels of a sure source: one with a pixel 5 sigma above the background, or larger than the
///   largest circle.
///
/// Other pixels above the threshold may be noise, as much of what a low threshold finds; leaving them out would make
/// the scatter too small. Circles of one radius do not overlap.
///
/// Each sum, above the background, is divided by the root of the sum of its pixels' variances, so that maps of weights
/// keep their meaning. The scatter of these ratios is 1.4826 times their median absolute deviation, which wings of
/// sources hardly change. alpha and beta come from a straight line through the logarithms, weighted by the number of
/// apertures; beta is kept between 1/2 and 1. The result does not depend on the number of threads. Radii without
/// apertures or scatter are reported, but do not count.
ApertureNoise measure_empty_apertures(const SkyBetweenSources& sky, const Cpu& where);

}  // namespace srcextract
