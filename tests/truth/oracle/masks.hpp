#pragma once

#include <vector>

#include "tests/truth/oracle/object.hpp"

namespace srcextract::oracle {

/// A pixel as the aperture of one source has it.
struct Sample {
  double value, variance;
  bool masked;
};

/// Which pixels belong to whom, once all sources are found.
class Masks {
 public:
  Masks(const std::vector<Object>& objects, const Field& field, const Settings& settings);

  /// The pixel for the source at (cx, cy), both in the precision in which the aperture has its geometry. What belongs
  /// to others or is bad is replaced by the pixel opposite, or by nothing.
  template <class Real>
  Sample sample(int x, int y, const Object& object, Real cx, Real cy) const;

 private:
  bool blanked(int x, int y, const Object& object) const;
  bool bad(int x, int y) const;
  double variance(int x, int y) const;

  const Field& field_;
  const Settings& settings_;
  Plane<int> owner_;
};

template <class Real>
Sample Masks::sample(int x, int y, const Object& object, Real cx, Real cy) const {
  const double constant = field_.variance.empty() ? variance(x, y) : 0;
  if (!blanked(x, y, object) && !bad(x, y)) return {field_.image.at(x, y), variance(x, y), false};
  if (settings_.masking == Masking::correct) {
    const int u = static_cast<int>(2 * cx + static_cast<Real>(0.49999) - x);
    const int v = static_cast<int>(2 * cy + static_cast<Real>(0.49999) - y);
    if (field_.image.has(u, v) && !blanked(u, v, object) && !bad(u, v)) {
      return {field_.image.at(u, v), variance(u, v), true};
    }
  }
  return {0, constant, true};
}

}  // namespace srcextract::oracle
