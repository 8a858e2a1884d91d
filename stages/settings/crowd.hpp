#pragma once

#include <cstdint>

namespace srcextract {

enum class CrowdMethod { none, joint };

/// The fit of all stars of an image at once (stages/crowd).
struct CrowdConfig {
  CrowdMethod method = CrowdMethod::none;
  /// Significance of a new star in the residual.
  double threshold = 5;
  /// Turns of finding stars and fitting them all. The last finds none and leaves places as they are.
  std::int64_t turns = 8;
  /// Side of the squares, in pixels, at whose corners the sky is fitted together with the stars.
  std::int64_t sky_size = 64;
  /// Side of the tiles, in pixels, that are fitted one after the other, each with its surroundings; 0: one for all.
  std::int64_t tile_size = 0;

  /// Stars that are added to the image, which is then fitted again: how many are found, and with what error.
  std::int64_t inject = 0;

  bool operator==(const CrowdConfig&) const = default;
};

}  // namespace srcextract
