#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// Counts of sources in one range of S/N, the peak divided by the noise of a pixel there.
struct ReliabilityBin {
  double low = 0, high = 0;  ///< the last bin has no end: infinity
  std::int64_t positive = 0, negative = 0;
  double share =
      std::numeric_limits<double>::quiet_NaN();  ///< 1 - negative / positive, at least 0; NaN without sources
  /// Limits of `share` at 68 % confidence, from those of the number of negative sources (Gehrels 1986, ApJ 303, 336).
  double least = share, most = share;
};

/// Estimates the fraction of sources that are real. Where noise is symmetric, the negated map has as many false sources
/// as the map. Interferometers leave spokes and bowls around very bright sources, so places near them are counted in
/// separate bins.
struct Reliability {
  std::int64_t negative = 0, bright = 0;        ///< numbers of sources in the negated map, and of very bright ones
  double within = 0;                            ///< distance in pixels up to which a place is near a very bright source
  std::vector<ReliabilityBin> near, elsewhere;  ///< bins by S/N; those without any source are left out
};

/// S/N from which a source is very bright, and radius of the map that it disturbs, in sides of the beam
/// (find_reliability).
inline constexpr double very_bright_snr = 1000, disturbed_beams = 15;

/// Compares the sources of a map with those of the negated map, and sets `reliability` in the rows. A Gaussian's row
/// gets the value of its source. `beam_side`: side in pixels of a square with the area of the beam at half maximum.
Reliability find_reliability(std::vector<ComponentRow>& sources, std::vector<ComponentRow>& gaussians,
                             const std::vector<ComponentRow>& negative, double beam_side);

}  // namespace srcextract
