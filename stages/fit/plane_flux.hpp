#pragma once

#include <limits>
#include <vector>

namespace srcextract {

/// The flux of a Gaussian or source in a plane, with position and shape from the fit in another image. All members are
/// NaN if the flux could not be measured.
struct PlaneFlux {
  double total = std::numeric_limits<double>::quiet_NaN();
  /// Standard error, including the errors of position and shape.
  double error = std::numeric_limits<double>::quiet_NaN();
  /// Standard error due to the noise of the plane alone.
  double error_of_noise = std::numeric_limits<double>::quiet_NaN();
};

using PlaneFluxes = std::vector<PlaneFlux>;

}  // namespace srcextract
