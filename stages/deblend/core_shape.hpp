#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "stages/math/exact_math.hpp"
#include "stages/measure/area_correction.hpp"
#include "stages/measure/ellipse.hpp"
#include "stages/measure/measure.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// Returns a pixel's value minus the sky. Deblending compares these values after rounding to float.
SRCEXTRACT_HOST_DEVICE inline float above_level(double value, double background) {
  return static_cast<float>(value - background);
}

/// The elliptical Gaussian of a core (part of an island that becomes a source), exp(ln_amplitude - claim). At a pixel
/// outside of all cores, the Gaussians of cores decide which core gets the pixel (claims.hpp).
struct CoreShape {
  double x, y;  ///< centroid, 0-based
  double ln_amplitude;
  /// Coefficients: claim = xx dx^2 + yy dy^2 + xy dx dy, with the distances dx and dy from the centroid in pixels.
  double xx, yy, xy;
  double least;  ///< lower limit of claim / (dx^2 + dy^2)

  SRCEXTRACT_HOST_DEVICE float claim(double to_x, double to_y) const {
    const double dx = to_x - x, dy = to_y - y;
    return static_cast<float>(xx * (dx * dx) + yy * (dy * dy) + xy * (dx * dy));
  }
};

/// Computes the Gaussian from the sums over a core, the core's peak minus the sky, and the threshold of its island
/// minus the sky. `counts` must be null if each pixel has its own threshold, since the isophote then has no single
/// level.
SRCEXTRACT_HOST_DEVICE inline CoreShape shape_of(const SourceSums& core, float peak, const IsophoteCounts* counts,
                                                 float threshold) {
  const double x = core.vx / core.v, y = core.vy / core.v;
  const EllipseAxes ellipse =
      axes_about(core.vxx / core.v - x * x, core.vyy / core.v - y * y, core.vxy / core.v - x * y);
  const auto a = static_cast<float>(ellipse.a), b = static_cast<float>(ellipse.b);
  const double area = static_cast<double>(a) * static_cast<double>(b);
  const auto correction =
      static_cast<double>(counts == nullptr ? 1.0F : static_cast<float>(area_correction(*counts, a, b)));
  const double determinant = ellipse.x2 * ellipse.y2 - ellipse.xy * ellipse.xy;
  const auto in_float = [](double value) { return static_cast<double>(static_cast<float>(value)); };
  const auto depth = static_cast<double>(
      static_cast<float>(static_cast<double>(core.npix) / (2 * std::numbers::pi * correction * area)));
  const double highest = portable_log(4 * static_cast<double>(peak));
  const double fitted = portable_log(static_cast<double>(threshold)) + depth;
  return {core.xmin + x,
          core.ymin + y,
          depth < 70 && fitted < highest ? fitted : highest,
          in_float(ellipse.y2 / determinant) / (2 * correction),
          in_float(ellipse.x2 / determinant) / (2 * correction),
          in_float(-2 * ellipse.xy / determinant) / (2 * correction),
          0.999 / (2 * correction * static_cast<double>(a) * static_cast<double>(a))};
}

/// Returns the parentage of a source that is one of several in its island. `core` has the sums over the source's core.
SRCEXTRACT_HOST_DEVICE inline Parentage parentage_of(std::int32_t island, const SourceSums& core,
                                                     const CoreShape& shape, const Shape& image) {
  const bool edge = core.xmin == 0 || core.ymin == 0 || core.xmax == image.width - 1 || core.ymax == image.height - 1;
  return {shape.x, shape.y, island, 1, edge ? 1 : 0};
}

/// Returns the parentage of a source that is a whole island.
SRCEXTRACT_HOST_DEVICE inline Parentage parentage_of_whole(std::int32_t island) {
  return {0, 0, island, 0, 0};
}

}  // namespace srcextract
