#pragma once

#include <vector>

#include "stages/psf/psf_surface.hpp"
#include "stages/psf/solve_planes.hpp"

namespace srcextract {

/// A formula for the PSF: an elliptical Moffat profile with beta 3, mixed with fractions of profiles of the same width
/// with beta 2 and 4.5, and averaged over an image pixel. Width and ellipticity are polynomials of the position, with
/// the terms of the PsfSurface. The PSF depends on their changes to first order only.
struct MoffatField {
  /// varying: number of parameters that vary over the field (width, two ellipticities). modes: number of all
  /// parameters, including the two constant fractions.
  static constexpr int varying = 3, modes = 5;

  /// Values in the middle of the field: full width in pixels, ellipticities, and the fractions of the profiles with
  /// beta 2 (broad) and 4.5 (narrow).
  double width, e1 = 0, e2 = 0, broad = 0, narrow = 0;
  /// Coefficients of the polynomial's terms after the first: `varying` numbers per term.
  std::vector<double> slopes = {};
};

/// Sets the planes of the surface to the formula, with fixed normalisation and centroid (fix_gauge()).
void draw_field(const MoffatField& field, PsfSurface& surface);

/// Makes one Gauss-Newton step towards the formula that fits the stars best, with a prior for little variation over the
/// field. `surface` must have been drawn from `field`.
void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, MoffatField& field);

}  // namespace srcextract
