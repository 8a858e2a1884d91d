#pragma once

#include <vector>

#include "stages/psf/psf_surface.hpp"
#include "stages/psf/solve_planes.hpp"

namespace srcextract {

/// An elliptical star as a formula: a Moffat profile of beta 3 averaged over a pixel, with shares of those of beta 2
/// and 4.5 of the same width. Width and ellipticity follow polynomials of the place, to first order.
struct MoffatField {
  static constexpr int varying = 3, modes = 5;  ///< width, two ellipticities; and the shares, which do not vary

  double width, e1 = 0, e2 = 0, broad = 0, narrow = 0;  ///< in the middle of the field
  /// Of the terms of the polynomial beyond the first: varying numbers for each.
  std::vector<double> slopes = {};
};

/// The surface of the field: its planes are replaced, and the gauge is fixed.
void draw_field(const MoffatField& field, PsfSurface& surface);

/// One step of Gauss and Newton towards the field that fits the stars best, with a prior for fields that vary little.
/// `surface` is that of the field.
void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, MoffatField& field);

}  // namespace srcextract
