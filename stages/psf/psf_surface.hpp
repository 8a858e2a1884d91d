#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// A PSF while it is made: planes of pixels, one for each term of a polynomial of the position. They are the planes of
/// PsfModel (stages/math), but row by row.
struct PsfSurface {
  Shape image;         ///< the field over which the PSF varies
  int degree = 0;      ///< of the polynomial, in both coordinates together
  int side = 0;        ///< number of pixels along a side of a plane; odd
  double step = 1;     ///< side of a pixel of a plane, in pixels of the image
  double radius = 0;   ///< radius of the model in pixels of the image; the PSF is 0 beyond
  double width = 0;    ///< approximate full width at half maximum of a star
  double of_file = 0;  ///< PSF_FWHM: twice the half-light radius, as PSFEx defines it
  std::vector<double> planes = {};

  static int terms_of(int degree) { return (degree + 1) * (degree + 2) / 2; }
  int terms() const { return terms_of(degree); }
  std::size_t plane() const { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
  double* of(int term) { return planes.data() + static_cast<std::size_t>(term) * plane(); }
  const double* of(int term) const { return planes.data() + static_cast<std::size_t>(term) * plane(); }

  /// The terms of the polynomial at a position, counted from 0, in PSFEx's order: 1, x, x^2, y, x y, y^2. Coordinates
  /// are scaled to -1/2 ... 1/2.
  std::vector<double> basis(double x, double y) const;

  /// The PSF of a star at (x, y), as a plane.
  std::vector<double> at(double x, double y) const;
};

/// An empty surface for stars with the full width `width`; `radius` is the model's radius in pixels.
PsfSurface begin_surface(const Shape& image, int degree, double width, double radius);

/// Fixes what the fit does not determine, equally at every position:
/// - the PSF fades to 0 within the last full width of its radius, as PSFEx's does, and is 0 beyond;
/// - its light is 1;
/// - the centroid of its core, out to the full width, is its middle.
/// From terms after the first, light and centroid are removed by subtracting the first term and its gradients.
void fix_gauge(PsfSurface& surface);

/// The surface as PSFEx's table PSF_DATA, with values in float32. `found` is the number of candidate stars, `used` the
/// number of stars from which it was made, and `chi2` the mean chi2 of these.
NumberTable table_of(const PsfSurface& surface, std::size_t found, std::size_t used, double chi2);

}  // namespace srcextract
