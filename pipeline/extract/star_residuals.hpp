#pragma once

#include <cstdint>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// Numbers of sources in a difference image that are probably residuals of stars, since the kernel does not match the
/// stars' shape.
struct StarResiduals {
  /// Number of rows with a row of the opposite sign within 8 pixels. A wrong kernel leaves a star too bright in its
  /// centre and too faint around it, or the reverse.
  ///
  /// Moving objects are not counted: rows whose flux is at least half of the light that both frames have under their
  /// pixels, if that light is known.
  std::int64_t paired = 0;
  /// Number of rows whose flux is less than 0.3 times the light that both frames have under their pixels.
  std::int64_t faint_changes = 0;
};

/// Examines the sources of a difference image whose sky noise is `sigma`. The light of the frames is derived from the
/// rows' flux errors, which contain the photon noise of both frames. `gain` in e-/count; with 0 the light is unknown,
/// and `faint_changes` is 0.
StarResiduals find_star_residuals(const Sources& changes, double sigma, double gain);

}  // namespace srcextract
