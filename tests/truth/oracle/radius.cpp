#include <algorithm>
#include <array>
#include <cmath>

#include "tests/truth/oracle/photometry.hpp"

namespace srcextract::oracle {
namespace {

constexpr int bins = 64;
using Growth = std::array<double, bins>;

/// Light within circles of 1 to 64 times step, `reach` the last.
Growth grow(Object& object, double reach, const Masks& masks, const Field& field) {
  Growth growth{};
  const double cx = object.shape.x, cy = object.shape.y, limit = reach + 1.5, step = reach / bins;
  const Box box = box_of_circle(cx, cy, limit, field.image);
  if (box.cut) object.flags |= aperture_truncated;
  const auto add = [&](double square, double value) {
    const auto bin = static_cast<int>(std::sqrt(square) * bins / reach);
    if (bin < bins) growth[static_cast<std::size_t>(bin)] += value;
  };
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      const double dx = x - cx, dy = y - cy, square = dx * dx + dy * dy;
      if (!(square <= limit * limit)) continue;
      const double value = masks.sample(x, y, object, cx, cy).value;
      const double beyond = std::fmod(std::sqrt(square), step);
      if (beyond >= 0.75 && beyond <= step - 0.75) {
        add(square, value);
        continue;
      }
      double v = dy - 0.4;
      for (int j = 0; j < 5; ++j, v += 0.2) {
        double u = dx - 0.4;
        for (int i = 0; i < 5; ++i, u += 0.2) add(u * u + v * v, value / 25);
      }
    }
  }
  for (std::size_t i = 1; i < bins; ++i) growth[i] += growth[i - 1];
  return growth;
}

double radius_of(double target, const Growth& growth, double step) {
  std::size_t i = 0;
  while (i < bins - 1 && growth[i] < target) ++i;
  if (i == 0) return growth[0] != 0 ? step * target / growth[0] : 0;
  // Where the curve does not get there it is continued, not from its last bin, but from the one before.
  const std::size_t last = i == bins - 1 ? i - 1 : i;
  const double rise = growth[last] - growth[last - 1];
  return rise != 0 ? step * (static_cast<double>(i) + (target - growth[last - 1]) / rise) : 0;
}

}  // namespace

void measure_radii(Object& object, const Masks& masks, const Field& field, const Settings& settings,
                   double& half_light) {
  const double reach = 6 * static_cast<double>(object.shape.ellipse.a), step = reach / bins;
  const Growth growth = grow(object, reach, masks, field);
  const double flux = object.automatic.flux.value;
  for (const double fraction : settings.phot_fluxfrac) {
    object.flux_radius.push_back(std::min(radius_of(fraction * flux, growth, step), reach));
  }
  half_light = std::clamp(std::abs(radius_of(0.5 * flux, growth, step)), 0.5, std::max(0.5, reach));
}

}  // namespace srcextract::oracle
