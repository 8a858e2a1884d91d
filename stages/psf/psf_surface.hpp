#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// A PSF while it is made: planes of pixels, one plane for each term of a polynomial of the position. The planes are
/// those of PsfModel (stages/math/psf_model.hpp), but stored row by row.
struct PsfSurface {
  Shape image;         ///< size of the image (the field over which the PSF varies)
  int degree = 0;      ///< degree of the polynomial, in both coordinates together
  int side = 0;        ///< number of pixels along a side of a plane; odd
  double step = 1;     ///< side of a plane's pixel in image pixels
  double radius = 0;   ///< radius of the model in image pixels; outside it the PSF is 0
  double fade = 0;     ///< over this length before its radius the PSF fades to 0, in image pixels
  double width = 0;    ///< approximate full width at half maximum of a star, in image pixels
  double of_file = 0;  ///< PSF_FWHM in the file: twice the half-light radius, as PSFEx defines it
  std::vector<double> planes = {};

  static int terms_of(int degree) { return (degree + 1) * (degree + 2) / 2; }
  int terms() const { return terms_of(degree); }
  std::size_t plane() const { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
  double* of(int term) { return planes.data() + static_cast<std::size_t>(term) * plane(); }
  const double* of(int term) const { return planes.data() + static_cast<std::size_t>(term) * plane(); }

  /// Returns the values of the polynomial's terms at a position, in pixels from 0, in PSFEx's order: 1, x, x^2, y, x y,
  /// y^2. Coordinates are scaled to the range -1/2 to 1/2.
  std::vector<double> basis(double x, double y) const;

  /// Returns the PSF of a star at (x, y), in pixels from 0, as a plane.
  std::vector<double> at(double x, double y) const;

  /// Returns the light of a plane within the radius.
  double light_of(const std::vector<double>& plane) const;

  /// Returns the gradient of a plane along x or y, per image pixel: half the difference of the next and the previous
  /// pixel, divided by the step. Outside the radius the gradient is 0.
  std::vector<double> gradient(const double* plane, bool along_y) const;
};

/// Adds factor * from[i] to to[i], for each i.
void add_scaled(double factor, const double* from, std::size_t count, double* to);

/// Returns a surface with planes of zeros, for stars with the full width `width`. The PSF fades to 0 over one width
/// about `radius`, so that its light is the light within `radius`. Both are in pixels.
PsfSurface begin_surface(const Shape& image, int degree, double width, double radius);

/// Lets the PSF fade to 0 before its radius, as PSFEx's does. For the finished PSF, before fix_gauge().
void fade_out(PsfSurface& surface);

/// Fixes three properties that the fit does not determine, equally at every position:
/// - the PSF is 0 outside the radius;
/// - the total light is 1;
/// - the centroid of the core, out to the full width, is at the middle.
///
/// Light and centroid of the terms after the first are removed by subtracting multiples of the first term and of its
/// gradients.
void fix_gauge(PsfSurface& surface);

/// Returns the surface as PSFEx's table PSF_DATA, with values in float32. `found` is the number of candidate stars,
/// `used` the number of stars from which the PSF was made, and `chi2` the mean chi2 of these stars.
NumberTable table_of(const PsfSurface& surface, std::size_t found, std::size_t used, double chi2);

}  // namespace srcextract
