#pragma once

#include <vector>

#include "stages/psf/psf_surface.hpp"
#include "stages/psf/solve_planes.hpp"

namespace srcextract {

/// A formula for the PSF: an elliptical Moffat profile with beta 3, averaged over a pixel, mixed with fractions of
/// profiles with beta 2 and 4.5 of the same width. Width and ellipticity are polynomials of the position, with the
/// terms of the PsfSurface. The PSF follows their changes to first order.
struct MoffatField {
  /// varying: width, two ellipticities; modes: also two fractions, which are constant
  static constexpr int varying = 3, modes = 5;

  /// In the middle of the field: width, ellipticities, and the fractions with beta 2 (broad) and 4.5 (narrow).
  double width, e1 = 0, e2 = 0, broad = 0, narrow = 0;
  /// Coefficients of the polynomial's terms after the first: `varying` numbers for each term.
  std::vector<double> slopes = {};
};

/// Replaces the planes of the surface by those of the formula, and fixes normalisation and centroid (fix_gauge).
void draw_field(const MoffatField& field, PsfSurface& surface);

/// Makes one Gauss-Newton step towards the formula that fits the stars best, with a prior for formulas that vary
/// little. `surface` must be drawn from `field`.
void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, MoffatField& field);

}  // namespace srcextract
