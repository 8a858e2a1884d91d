#pragma once

#include <cmath>

#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A symmetric matrix of 2 x 2.
struct Symmetric2 {
  double xx = 0, xy = 0, yy = 0;

  double determinant() const { return xx * yy - xy * xy; }
};

/// Σ of a shape, in squared pixels, and its derivatives by e1 and e2. The derivative by ln rc is 2 Σ. The profile
/// depends on position by rᵀ Σ⁻¹ r, its transform by κ² = kᵀ Σ k.
struct ShapeMatrix {
  Symmetric2 sigma, by_e1, by_e2;
};

/// Σ = rc² (cosh h + sinh h / h (e1 σz + e2 σx)), h = hypot(e1, e2).
inline ShapeMatrix shape_matrix(const GalaxyShape& shape) {
  const double e1 = shape.e1, e2 = shape.e2, h2 = e1 * e1 + e2 * e2, h = std::sqrt(h2);
  double cosine = 1, ratio = 1, slope = 1.0 / 3;  // cosh h, sinh h / h, and the derivative of the latter divided by h
  if (h > 0.3) {
    const double up = portable_exp(h), down = 1 / up;
    cosine = (up + down) / 2;
    ratio = (up - down) / (2 * h);
    slope = (cosine - ratio) / h2;
  } else {
    cosine = 1 + h2 / 2 * (1 + h2 / 12 * (1 + h2 / 30 * (1 + h2 / 56 * (1 + h2 / 90))));
    ratio = 1 + h2 / 6 * (1 + h2 / 20 * (1 + h2 / 42 * (1 + h2 / 72 * (1 + h2 / 110))));
    slope = 1.0 / 3 * (1 + h2 / 10 * (1 + h2 / 28 * (1 + h2 / 54 * (1 + h2 / 88))));
  }
  const double rc2 = portable_exp(2 * shape.ln_rc);
  ShapeMatrix of;
  of.sigma = {rc2 * (cosine + ratio * e1), rc2 * ratio * e2, rc2 * (cosine - ratio * e1)};
  const double both = slope * e1 * e2;
  of.by_e1 = {rc2 * (ratio * e1 + ratio + slope * e1 * e1), rc2 * both, rc2 * (ratio * e1 - ratio - slope * e1 * e1)};
  of.by_e2 = {rc2 * (ratio * e2 + both), rc2 * (ratio + slope * e2 * e2), rc2 * (ratio * e2 - both)};
  return of;
}

}  // namespace srcextract
