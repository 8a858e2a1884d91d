#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/math/kernel_values.hpp"

namespace srcextract {

/// Widths and shifts of the stars of both frames: medians over objects in the same stamps.
struct StarWidths {
  double reference = 0, fresh = 0;  ///< FWHM in pixels
  double ratio = 1;                 ///< width of new over reference
  double shift_x = 0, shift_y = 0;  ///< position in the new frame minus position in the reference, in pixels
};

/// Position relative to the middle of the stamp, and sigma, of the object in a stamp, with its light under the
/// Gaussian. `sigma` is 0 if there is no light.
struct StarShape {
  double x, y, sigma, light;
};
std::vector<StarShape> shapes_of(const LevelledFrame& frame, const std::vector<Stamp>& stamps, const Cpu& where);

/// Measures width and position of stars by the best-fitting Gaussian: second moments under a Gaussian weight of the
/// same size (adaptive moments; Bernstein & Jarvis 2002, AJ 123, 583). Noise and neighbours move them less than plain
/// moments.
StarWidths measure_widths(const LevelledFrame& reference, const LevelledFrame& fresh, const std::vector<Stamp>& stamps,
                          const Cpu& where);

}  // namespace srcextract
