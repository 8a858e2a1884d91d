#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// Counts of sources in one range of S/N. The S/N of a source is its peak divided by the noise of a pixel.
struct ReliabilityBin {
  double low = 0, high = 0;  ///< range of S/N, without `high`, which is infinity in the last bin
  std::int64_t positive = 0, negative = 0;
  double share =
      std::numeric_limits<double>::quiet_NaN();  ///< 1 - negative / positive, at least 0; NaN if `positive` is 0
  /// Limits of `share` at 68 % confidence, from the limits of the expected number of negative sources (Gehrels 1986,
  /// ApJ 303, 336).
  double least = share, most = share;
};

/// The estimated fraction of sources that are real. If the noise is symmetric, the negated map has as many false
/// sources as the map. Maps of interferometers have artefacts (spokes and bowls) around very bright sources, so sources
/// near very bright sources are counted in separate bins.
struct Reliability {
  /// Number of sources in the negated map; number of very bright sources in the map.
  std::int64_t negative = 0, bright = 0;
  double within = 0;  ///< sources up to this distance, in pixels, from a very bright source are counted in `near`
  std::vector<ReliabilityBin> near, elsewhere;  ///< bins in ascending S/N, without bins that have no sources
};

/// Least S/N of a very bright source, and the radius of its artefacts in the map, in units of PixelBeam::side()
/// (find_reliability).
inline constexpr double very_bright_snr = 1000, disturbed_beams = 15;

/// Compares the sources of a map with the sources of the negated map (`negative`). Sets ComponentRow::reliability in
/// `sources` and `gaussians`, except where it is 0; a Gaussian gets the value of its source. `beam_side` is
/// PixelBeam::side() of the beam.
Reliability find_reliability(std::vector<ComponentRow>& sources, std::vector<ComponentRow>& gaussians,
                             const std::vector<ComponentRow>& negative, double beam_side);

}  // namespace srcextract
