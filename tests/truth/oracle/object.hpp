#pragma once

#include <limits>
#include <vector>

#include "tests/truth/oracle/field.hpp"

namespace srcextract::oracle {

/// A pixel above the threshold.
struct Pixel {
  int x, y;
  float value;     ///< above the sky: v
  float filtered;  ///< by which it was found: c
  float threshold;
};

/// Bits of FLAGS.
enum Flag : int { crowded = 1, split = 2, saturated = 4, truncated = 8, aperture_truncated = 16 };

/// An ellipse: standard deviations along its axes, its angle, and the coefficients of cxx dx^2 + cyy dy^2 + cxy dx dy
/// = 1.
struct Ellipse {
  float a = 0, b = 0;
  double theta = 0;  ///< radians from x towards y
  float cxx = 0, cyy = 0, cxy = 0;
};

/// Moments of the filtered light. `x`, `y` is the position; of a source that was split off, the one of its core, about
/// which the second moments of all of its pixels are taken.
struct Shape {
  double x = 0, y = 0, x2 = 0, y2 = 0, xy = 0;
  bool singular = false;
  Ellipse ellipse;
  double abcor = 1;  ///< how much wider the ellipse would be, were the isophote not cut at the threshold
};

/// A sum over pixels and its variance.
struct Flux {
  double value = 0, variance = 0;
};

/// Flux in a scaled ellipse: the scale in units of its axes.
struct EllipseFlux {
  float scale = 0;
  Flux flux;
};

/// Moments of the light under a Gaussian window, about a position that the window follows.
struct Windowed {
  double x = 0, y = 0, x2 = 0, y2 = 0, xy = 0;
  double err_x2 = 0, err_y2 = 0, err_xy = 0;
  Flux flux;
  int rounds = 0, flags = 0;
};

/// What one source is, and what was measured of it.
struct Object {
  std::vector<Pixel> pixels;  ///< in the order in which SExtractor joins them
  int parent = 0;             ///< number of the connected set it comes from, from 1
  int parent_last_row = 0;
  int number = 0;  ///< order of completion, before CLEAN
  int flags = 0;
  float threshold = 0;  ///< t0: of the connected set that it is, or was split from
  float analysis_threshold =
      std::numeric_limits<float>::max();  ///< the lowest of its pixels', as `threshold` with weights
  double core_x = 0, core_y = 0;
  float mthresh = 0;  ///< height over the threshold that its faintest significant pixel has
  int absorbed_by = -1;

  Shape shape;
  double err_x2 = 0, err_y2 = 0, err_xy = 0;
  Ellipse err_ellipse;
  long analysis_area = 0;  ///< ISOAREA
  // Of all that CLEAN joined to it.
  long filtered_area = 0;  ///< ISOAREAF
  double filtered_flux = 0, flux = 0, variance = 0;
  float filtered_peak = 0, peak = 0;
  int x_peak = 0, y_peak = 0, x_min = 0, x_max = 0, y_min = 0, y_max = 0;

  double sky = 0, fwhm = 0;
  int fwhm_pixels = 0;   ///< that the fit was of; of one its determinant is nothing but roundings
  std::vector<int> iso;  ///< areas over eight levels between the threshold and the peak
  Flux iso_corrected;
  std::vector<Flux> aper;
  EllipseFlux automatic, petro;
  std::vector<double> flux_radius;
  Windowed window;
};

}  // namespace srcextract::oracle
