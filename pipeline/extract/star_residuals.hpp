#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Residuals in a difference where the kernel does not match the stars.
struct StarResiduals {
  /// Number of rows with a row of the other sign within 8 pixels. A wrong kernel leaves a star too bright in its centre
  /// and too faint around it. Rows with at least half of both frames' light under their pixels do not count, if that
  /// light is known: they are moving objects.
  std::int64_t paired = 0;
  /// Number of rows whose flux is less than 0.3 of the light that both frames have under their pixels.
  std::int64_t faint_changes = 0;
};

/// Examines the rows of a difference whose sky noise is `sigma`. The light of the frames is derived from the rows'
/// errors, which contain the photon noise of both frames for this gain. With a gain of 0 the light is unknown, and
/// `faint_changes` is 0.
StarResiduals find_star_residuals(const Sources& changes, double sigma, double gain);

}  // namespace srcextract
