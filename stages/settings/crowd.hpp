#pragma once

#include <cstdint>

namespace srcextract {

enum class CrowdMethod { none, joint };

/// Settings of the fit of all stars of an image at once (stages/crowd).
struct CrowdConfig {
  CrowdMethod method = CrowdMethod::none;
  /// Least significance of a new star in the residual.
  double threshold = 5;
  /// Number of turns of finding stars and fitting them all. In the last turn no stars are found, and positions stay
  /// fixed.
  std::int64_t turns = 8;
  /// Side in pixels of the squares at whose corners the sky is fitted together with the stars.
  std::int64_t sky_size = 64;
  /// Side of the tiles, in pixels, that are fitted one after the other, each with its surroundings; 0: one for all.
  std::int64_t tile_size = 0;

  /// Number of artificial stars added to the image, which is then fitted again, to learn how many of them are found and
  /// with what error.
  std::int64_t inject = 0;

  bool operator==(const CrowdConfig&) const = default;
};

}  // namespace srcextract
