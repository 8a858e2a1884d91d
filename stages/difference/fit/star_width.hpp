#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/math/kernel_values.hpp"

namespace srcextract {

/// Widths of the stars in both frames and their shift: medians over stars that are in both frames.
struct StarWidths {
  double reference = 0, fresh = 0;  ///< full width at half maximum (FWHM), in pixels; 0 if no star could be measured
  double ratio = 1;                 ///< width in the new frame divided by width in the reference
  double shift_x = 0, shift_y = 0;  ///< position in the new frame minus position in the reference, in pixels
};

/// The object in a stamp (a square of pixels around a star or galaxy). x and y are its position relative to the stamp's
/// middle pixel, and `sigma` its width, in pixels. `light` is the sum of the pixels times the fitted Gaussian weight.
/// All members are 0 if the object cannot be measured.
struct StarShape {
  double x, y, sigma, light;
};
std::vector<StarShape> shapes_of(const LevelledFrame& frame, const std::vector<Stamp>& stamps, const Cpu& where);

/// Measures width and position of stars by second moments under a Gaussian weight. The weight's centre and width are
/// adjusted until they match the star's (adaptive moments; Bernstein & Jarvis 2002, AJ 123, 583). Noise and neighbours
/// change these moments less than unweighted moments.
StarWidths measure_widths(const LevelledFrame& reference, const LevelledFrame& fresh, const std::vector<Stamp>& stamps,
                          const Cpu& where);

}  // namespace srcextract
