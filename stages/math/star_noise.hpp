#pragma once

#include <cmath>
#include <limits>

#include "stages/math/star_profile.hpp"

namespace srcextract {

/// Returns the error of a faint star's flux in the middle of the image, in units of the noise (sigma) of a sky pixel.
/// The flux is sum(filter * pixels) / sum(filter * shape), as StarFamily measures fluxes. The arrays of `star` must be
/// on the host. Returns NaN if the sum of filter * shape is not positive.
inline double noise_of_star(const StarView& star) {
  const FieldTerms middle = star.at((star.width - 1) / 2, (star.height - 1) / 2);
  double squares = 0, shape = 0;
  for (int y = -star.filter.half; y <= star.filter.half; ++y) {
    for (int x = -star.filter.half; x <= star.filter.half; ++x) {
      const double f = star.filter.node(x, y, middle);
      squares += f * f;
      shape += f * star.light.node(x, y, middle);
    }
  }
  return shape > 0 ? std::sqrt(star.correlation * squares) / shape : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace srcextract
