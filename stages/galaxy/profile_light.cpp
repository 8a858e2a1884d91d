#include <algorithm>
#include <cmath>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/eight_lanes.hpp"
#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/galaxy/galaxy_shape.hpp"
#include "stages/galaxy/lane_functions.hpp"
#include "stages/galaxy/sersic_table.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// A profile at a row of pixels; the centre is at (-dx, -dy) from pixel 0.
struct RowOfProfile {
  float peak, b, power, xx, twice_xy_dy, yy_dy2, dx;

  template <class V>
  V at(const V& i) const {
    constexpr float least = 1e-12F;
    const V x = i + dx, exact = x * (xx * x + twice_xy_dy) + yy_dy2;
    const V u = exact > least ? exact : 0.0F * exact + least;
    return peak * lane_exp(-b * lane_exp(power * lane_log(u)));
  }
};

SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN void add_row(const RowOfProfile& of, int count, float* row) {
  const Eight first = {0, 1, 2, 3, 4, 5, 6, 7};
  int i = 0;
  for (; i + eight <= count; i += eight) {
    const Eight sum = load_unaligned(row + i) + of.at(first + static_cast<float>(i));
    store_unaligned(sum, row + i);
  }
  for (; i < count; ++i) row[i] += of.at(static_cast<float>(i));
}

}  // namespace

double profile_at(const GalaxyShape& shape, double dx, double dy) {
  const SersicProfile profile = sersic_profile(shape.ln_n);
  const Symmetric2 s = shape_matrix(shape).sigma;
  const double det = s.determinant(), u = (s.yy * dx * dx - 2 * s.xy * dx * dy + s.xx * dy * dy) / det;
  constexpr double least = 1e-12;
  const double w = profile.b * portable_exp(portable_log(std::max(u, least)) / (2 * profile.n));
  return portable_exp(profile.log_peak - w) / std::sqrt(det);
}

void add_profile_row(const GalaxyShape& shape, double flux, double dx, double dy, int count, float* row) {
  const SersicProfile profile = sersic_profile(shape.ln_n);
  const Symmetric2 s = shape_matrix(shape).sigma;
  const double det = s.determinant(), xx = s.yy / det, xy = -s.xy / det, yy = s.xx / det;
  RowOfProfile of;
  of.peak = static_cast<float>(flux * portable_exp(profile.log_peak) / std::sqrt(det));
  of.b = static_cast<float>(profile.b);
  of.power = static_cast<float>(1 / (2 * profile.n));
  of.xx = static_cast<float>(xx);
  of.twice_xy_dy = static_cast<float>(2 * xy * dy);
  of.yy_dy2 = static_cast<float>(yy * dy * dy);
  of.dx = static_cast<float>(dx);
  add_row(of, count, row);
}

double profile_reach(const GalaxyShape& shape, double flux, double level) {
  const SersicProfile profile = sersic_profile(shape.ln_n);
  if (!(flux > 0) || !(level > 0)) return 0;
  const double peak = portable_exp(profile.log_peak - 2 * shape.ln_rc) * flux;
  if (!(peak > level)) return 0;
  const double fall = portable_log(peak / level) / profile.b;
  const double major = portable_exp(shape.ln_rc + length_of(shape.e1, shape.e2) / 2);
  return fall > 0 ? major * portable_exp(profile.n * portable_log(fall)) : 0;
}

}  // namespace srcextract
