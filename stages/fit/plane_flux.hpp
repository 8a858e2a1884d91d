#pragma once

#include <limits>
#include <vector>

namespace srcextract {

/// The flux of a Gaussian or source in a plane other than the one in which its position and shape were fitted. NaN: the
/// flux could not be measured.
struct PlaneFlux {
  double total = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();           ///< including the errors of position and shape
  double error_of_noise = std::numeric_limits<double>::quiet_NaN();  ///< by the noise of the plane alone
};

using PlaneFluxes = std::vector<PlaneFlux>;

}  // namespace srcextract
