#pragma once

#include <limits>

#include "stages/core/image.hpp"

namespace srcextract {

/// Full widths at half maximum of a source in pixels, without the pixel's own width. Both are NaN if they are unknown.
struct StarWidth {
  double width = std::numeric_limits<double>::quiet_NaN();  ///< geometric mean of the major and the minor full width
  double minor = std::numeric_limits<double>::quiet_NaN();  ///< 0 if the source is as narrow as one pixel
};

/// Fits an elliptical Gaussian to the pixels of a source by least squares (Levenberg 1944, Marquardt 1963). Unlike a
/// half-light radius, its width needs no total flux, and the pixels' phase hardly changes it. So it tells stars from
/// galaxies, and hot pixels from stars of any telescope.
///
/// `above` is the image minus its sky, where masked pixels are NaN. (x, y) is in pixels from 0, and `radius` is the
/// half-light radius in pixels.
StarWidth measure_width(const Image<float, Cpu>& above, double x, double y, double radius);

}  // namespace srcextract
