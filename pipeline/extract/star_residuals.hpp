#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Residuals that a kernel leaves in a difference where it does not match the stars.
struct StarResiduals {
  /// Rows that have one of the other sign within 8 pixels: a star that is too narrow in the middle is too faint around
  /// it. What is half or more of the light under its pixels does not count, if that is known: it moved.
  std::int64_t paired = 0;
  /// Rows whose flux is less than 0.3 of the light of both frames that is under their pixels.
  std::int64_t faint_changes = 0;
};

/// Looks at the rows of a difference whose noise is `sigma` where there is sky alone. Their errors have the photon
/// noise of both frames, with that gain, which tells the light. With a gain of 0 nothing tells it, and `faint_changes`
/// is 0.
StarResiduals find_star_residuals(const Sources& changes, double sigma, double gain);

}  // namespace srcextract
