#pragma once

#include <cstdint>

namespace srcextract {

enum class CrowdMethod { none, joint };

/// Settings of the PSF fit to all stars of a crowded image at once (stages/crowd).
struct CrowdConfig {
  CrowdMethod method = CrowdMethod::none;
  /// Minimum signal-to-noise ratio of a new star in the residual image.
  double threshold = 5;
  /// Number of turns. A turn finds stars in the residual and then fits all stars. The last turn finds no stars, and
  /// fits with fixed positions.
  std::int64_t turns = 8;
  /// Spacing in pixels of the square grid on which the sky is fitted together with the stars.
  std::int64_t sky_size = 64;
  /// Maximum side in pixels of the tiles into which the image is divided. Tiles are fitted one after the other, each
  /// with a margin around it. 0: the whole image is one tile.
  std::int64_t tile_size = 0;

  /// Number of artificial stars. A second fit, of the image with these stars added, measures which fraction of them is
  /// found, and with what error.
  std::int64_t inject = 0;

  bool operator==(const CrowdConfig&) const = default;
};

}  // namespace srcextract
