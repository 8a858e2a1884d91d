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
  const Image<float, Cpu>& variance;       ///< of its pixels; without pixels: all have that of the sky
  const Runs<Cpu>& runs;                   ///< what is above the threshold
  const Buffer<std::int32_t, Cpu>& label;  ///< of each run; above 0: of a source
  const Levels& levels;
  const SkyMesh<Cpu>* noise = nullptr;  ///< that tells the noise of the sky from place to place; null: levels.sigma
  bool scaled = false;                  ///< variances are in units of levels.noise_scale squared, not of the sky's
};

/// The most empty apertures of a radius: their scatter is then known to 2.3 %.
inline constexpr std::int64_t most_empty_apertures = 2500;

/// So many of a radius are needed for it to count, and so many radii that count for a law.
inline constexpr std::int64_t least_empty_apertures = 50;
inline constexpr int least_radii = 4;

/// Measures by how much sums over apertures scatter where there is no source, for radii r of 1.5 to 12 pixels in steps
/// of sqrt 2. The image is divided into square cells wide enough for a circle, and so wide that there are no more than
/// most_empty_apertures; in each a circle of the pixels that are no further than r from a pixel is laid where
/// splitmix64 of its number says, at the first of eight places of which no pixel is masked or beyond the image, not all
/// are equal, as in padding, and of which none is within 3 pixels of a source that has a pixel 5 sigma above the
/// background, or is larger than the largest circle. What else is above the threshold may be noise, as much of what a
/// low threshold finds is: without it the scatter were too small. Circles of one radius do not overlap. Each sum, above
/// the background, is divided by the root of the sum of the variances of its pixels, so that maps of weights keep their
/// meaning; the scatter of these is 1.4826 times the median of how far they are from their median, which the wings of
/// sources hardly move. alpha and beta follow from a straight line through the logarithms, weighted by the number of
/// apertures; beta is kept between 1/2 and 1. The same for any number of threads. Radii without apertures or scatter
/// are told, and do not count.
ApertureNoise measure_empty_apertures(const SkyBetweenSources& sky, const Cpu& where);

}  // namespace srcextract
