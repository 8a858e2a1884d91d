#pragma once

#include <cstddef>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// A PSF while it is made: planes of pixels, one for each term of a polynomial of the place. The planes are those of
/// PsfModel (stages/math), row by row.
struct PsfSurface {
  Shape image;         ///< the field over which the PSF varies
  int degree = 0;      ///< of the polynomial, in both coordinates together
  int side = 0;        ///< pixels along a side of a plane; odd
  double step = 1;     ///< side of a plane's pixel in pixels of the image
  double radius = 0;   ///< of the model in pixels of the image; nothing lies outside
  double width = 0;    ///< full width at half maximum of a star, about
  double of_file = 0;  ///< PSF_FWHM: twice the radius that holds half of the light, as PSFEx has it
  std::vector<double> planes = {};

  static int terms_of(int degree) { return (degree + 1) * (degree + 2) / 2; }
  int terms() const { return terms_of(degree); }
  std::size_t plane() const { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
  double* of(int term) { return planes.data() + static_cast<std::size_t>(term) * plane(); }
  const double* of(int term) const { return planes.data() + static_cast<std::size_t>(term) * plane(); }

  /// The terms at a place, counted from 0, in PSFEx's order: 1, x, x^2, y, x y, y^2. Coordinates are from -1/2 to 1/2.
  std::vector<double> basis(double x, double y) const;

  /// The PSF of a place: a plane.
  std::vector<double> at(double x, double y) const;
};

/// An empty surface for stars of that full width; `radius` is that of the model.
PsfSurface begin_surface(const Shape& image, int degree, double width, double radius);

/// Fixes what the fit leaves free, at every place alike:
/// - the PSF fades within the last full width of its radius, as PSFEx's does, and is 0 beyond;
/// - its light within is 1;
/// - the centroid of its core, out to the full width, is its middle.
/// Light and centroid of a term beyond the first are taken out by the first term and its gradients.
void fix_gauge(PsfSurface& surface);

/// The surface as PSFEx's table PSF_DATA, with values in float32. `found` stars were looked at and `used` ones made it;
/// `chi2` is the mean of theirs.
NumberTable table_of(const PsfSurface& surface, std::size_t found, std::size_t used, double chi2);

}  // namespace srcextract
