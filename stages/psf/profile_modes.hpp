#pragma once

#include <cstddef>
#include <vector>

#include "stages/psf/psf_surface.hpp"
#include "stages/psf/solve_planes.hpp"

namespace srcextract {

/// A formula for the PSF: an elliptical profile of the radius, averaged over an image pixel. The profile is a sum of
/// Moffat profiles (beta 3, 2, 4.5) and a Gaussian of the same full width. Rings correct it: at a set of radii the
/// profile departs from this sum, and smoothly between them. So the rings of a diffraction pattern, or wings that end,
/// need no pixels. Width and ellipticity are polynomials of the position, with the terms of the PsfSurface. The PSF
/// depends on their changes to first order only.
struct ProfileField {
  /// varying: number of parameters that vary over the field (width, two ellipticities); parts: profiles of the sum
  static constexpr int varying = 3, parts = 4, rings = 18;
  static constexpr int modes = varying + parts + rings;
  static constexpr double fixed = 1e-9;  ///< standard deviation of a ring that does not change

  double width;           ///< full width in pixels, in the middle of the field
  double measured_width;  ///< full width as measured before; the width stays near it
  double e1 = 0, e2 = 0;
  double share[parts] = {1, 0, 0, 0};  ///< of the profiles
  double ring[rings] = {};             ///< departure at each radius, in units of a Moffat profile with beta 2
  /// prior standard deviations of the rings, inside the full width and outside
  double core_deviation = fixed, wing_deviation = fixed;
  /// Coefficients of the polynomial's terms after the first: `varying` numbers per term.
  std::vector<double> slopes = {};
  /// Derivatives of the PSF in the middle of the field with respect to width and ellipticities, as planes: those of the
  /// formula that draw_field() drew.
  std::vector<std::vector<double>> of_shape = {};

  /// Returns the full width at half maximum of the profile in pixels, without the pixel's own width.
  double full_width() const;
};

/// Scales the formula to the light 1 within the surface's radius, and sets the planes of the surface to it, with fixed
/// normalisation and centroid (fix_gauge()).
void draw_field(ProfileField& field, PsfSurface& surface);

/// Makes one Gauss-Newton step towards the formula that fits the stars best. Priors keep the variation over the field
/// small, and the rings near the sum of profiles where the stars cannot tell them. The formula is the one that
/// draw_field() drew.
void improve_field(const std::vector<StarEquations>& stars, const PsfSurface& surface, ProfileField& field);

}  // namespace srcextract
