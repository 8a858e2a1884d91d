#pragma once

#include <vector>

#include "tests/truth/oracle/masks.hpp"

namespace srcextract::oracle {

/// A box of pixels, [left, right) x [top, bottom), cut at the edges of the image.
struct Box {
  int left, right, top, bottom;
  bool cut = false;

  Box(double left_edge, double right_edge, double top_edge, double bottom_edge, const Plane<float>& image);
};

/// The box of a circle. The edges are rounded in the precision of the position.
template <class Real>
Box box_of_circle(Real x, Real y, Real radius, const Plane<float>& image) {
  const auto near = static_cast<Real>(0.499999), far = static_cast<Real>(1.499999);
  return {static_cast<double>(x - radius + near), static_cast<double>(x + radius + far),
          static_cast<double>(y - radius + near), static_cast<double>(y + radius + far), image};
}

/// How much of the pixel is in the circle about (0, 0): whole pixels well inside of it, and side x side sub-pixels at
/// its edge; `dx`, `dy` is the pixel's place. Negative outside of the circle's reach.
float overlap(float dx, float dy, float radius, int side);

/// The photons' own noise: by pixel where weights change the gain, else of the whole flux.
double photon_variance(double value, double variance, const Field& field, const Settings& settings);
void add_photon_variance(Flux& flux, const Field& field, const Settings& settings);

/// FLUX_ISOCOR, ISO0 to ISO7, FWHM_IMAGE, FLAGS 4: of the source's own pixels.
void measure_profile(Object& object, const Field& field, const Settings& settings);

/// FLUX_APER.
void measure_apertures(Object& object, const Masks& masks, const Field& field, const Settings& settings);

/// FLUX_AUTO and KRON_RADIUS; FLUX_PETRO and PETRO_RADIUS.
void measure_kron(Object& object, const Masks& masks, const Field& field, const Settings& settings);
void measure_petrosian(Object& object, const Masks& masks, const Field& field, const Settings& settings);

/// Light within an ellipse of so many axes; FLAGS 1, 16.
void measure_ellipse(Object& object, EllipseFlux& ellipse, const Masks& masks, const Field& field,
                     const Settings& settings);
/// What FLAGS 1 is set for while a radius is sought: a tenth of the pixels.
bool mostly_masked(long masked, long area);
Box box_of_ellipse(const Object& object, float scale, const Plane<float>& image);
float square_of_scale(const Object& object, int x, int y);

/// FLUX_RADIUS, and the radius of half the light for the window.
void measure_radii(Object& object, const Masks& masks, const Field& field, const Settings& settings,
                   double& half_light);

/// XWIN_IMAGE and what goes with it.
void measure_window(Object& object, double half_light, const Masks& masks, const Field& field,
                    const Settings& settings);

/// All of it, of a source that CLEAN has left.
void measure(Object& object, const Masks& masks, const Field& field, const Settings& settings);

}  // namespace srcextract::oracle
