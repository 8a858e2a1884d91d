#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Residuals in a difference where the kernel does not match the stars.
struct StarResiduals {
  /// Rows with a row of the other sign within 8 pixels: a star that is too narrow in the middle is too faint around it.
  /// If the light of both frames is known, rows with half or more of that light under their pixels do not count: they
  /// are moving objects.
  std::int64_t paired = 0;
  /// Rows whose flux is less than 0.3 of the light of both frames under their pixels.
  std::int64_t faint_changes = 0;
};

/// Examines the rows of a difference whose sky noise is `sigma`. The light is derived from the rows' errors, which have
/// the photon noise of both frames with that gain. With a gain of 0 the light is unknown, and `faint_changes` is 0.
StarResiduals find_star_residuals(const Sources& changes, double sigma, double gain);

}  // namespace srcextract
