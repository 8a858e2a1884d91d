#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// The sources of one range of S/N, which is the peak over the noise of a pixel there.
struct ReliabilityBin {
  double low = 0, high = 0;  ///< the last bin has no end: infinity
  std::int64_t positive = 0, negative = 0;
  double share =
      std::numeric_limits<double>::quiet_NaN();  ///< 1 - negative / positive, at least 0; NaN without sources
  /// 68 % interval of the share, by that of the number of negative sources (Gehrels 1986, ApJ 303, 336).
  double least = share, most = share;
};

/// How many sources are real: where the noise is symmetric, the negated map has as many false sources as the map.
/// Interferometers leave spokes and bowls around very bright sources, so that these places have bins of their own.
struct Reliability {
  std::int64_t negative = 0, bright = 0;        ///< numbers of negative sources, and of very bright ones
  double within = 0;                            ///< distance in pixels that is near a very bright source
  std::vector<ReliabilityBin> near, elsewhere;  ///< by S/N; bins without any source are left out
};

/// Where a source is very bright, and how far it disturbs a map, in sides of the beam.
inline constexpr double very_bright_snr = 1000, disturbed_beams = 15;

/// Compares the sources of a map with those of the negated map, and sets `reliability` of the rows. A row of
/// `gaussians` has that of its source. `beam_side`: of a square with the area of the beam's half widths, in pixels.
Reliability find_reliability(std::vector<ComponentRow>& sources, std::vector<ComponentRow>& gaussians,
                             const std::vector<ComponentRow>& negative, double beam_side);

}  // namespace srcextract
