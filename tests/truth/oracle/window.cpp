#include <cmath>

#include "tests/truth/oracle/photometry.hpp"
#include "tests/truth/oracle/shape.hpp"

namespace srcextract::oracle {
namespace {

/// Sums over the window about one position.
struct Sums {
  double light = 0, x = 0, y = 0, x2 = 0, y2 = 0, xy = 0;
  double variance = 0, err_x2 = 0, err_y2 = 0, err_xy = 0;
};

Sums sum_window(Object& object, double cx, double cy, float sigma, const Masks& masks, const Field& field,
                const Settings& settings) {
  Sums sums;
  const float radius = 4 * sigma, steepness = 1 / (2 * sigma * sigma);
  const Box box = box_of_circle(cx, cy, static_cast<double>(radius), field.image);
  if (box.cut) object.flags |= aperture_truncated;
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      const auto dx = static_cast<float>(x - cx), dy = static_cast<float>(y - cy);
      const float part = overlap(dx, dy, radius, 11);
      if (part < 0) continue;
      const float weight = std::exp(-(dx * dx + dy * dy) * steepness) * part;
      const Sample sample = masks.sample(x, y, object, cx, cy);
      const double light = weight * sample.value;
      sums.light += light;
      sums.x += light * dx;
      sums.y += light * dy;
      sums.x2 += light * dx * dx;
      sums.y2 += light * dy * dy;
      sums.xy += light * dx * dy;
      double variance = sample.variance;
      if (field.variance.empty() || !settings.weight_gain) {
        if (settings.gain > 0 && sample.value > 0) variance += sample.value / settings.gain;
      } else {
        variance += photon_variance(sample.value, sample.variance, field, settings);
      }
      const double noise = static_cast<double>(weight) * weight * variance;
      sums.variance += noise;
      sums.err_x2 += noise * (dx * dx + 0.0833);
      sums.err_y2 += noise * (dy * dy + 0.0833);
      sums.err_xy += noise * dx * dy;
    }
  }
  return sums;
}

/// Moments of what the last window held; the isophotal ones where they make no ellipse.
void set_moments(Windowed& window, const Sums& sums, double dx, double dy) {
  window.x2 = sums.x2 / sums.light - dx * dx;
  window.y2 = sums.y2 / sums.light - dy * dy;
  window.xy = sums.xy / sums.light - dx * dy;
  const double determinant = window.x2 * window.y2 - window.xy * window.xy;
  if (determinant < 0) window.flags |= 1;
  if (window.x2 < 0 || window.y2 < 0) window.flags |= 2;
  if (determinant < 0.00694) {
    window.x2 += 0.0833333;
    window.y2 += 0.0833333;
  }
  const double square = sums.light * sums.light;
  window.err_x2 = 4 * sums.err_x2 / square;
  window.err_y2 = 4 * sums.err_y2 / square;
  window.err_xy = 4 * sums.err_xy / square;
}

bool strays(const Object& object, const Windowed& window) {
  const double dx = window.x - object.shape.x, dy = window.y - object.shape.y;
  const Ellipse& e = object.shape.ellipse;
  return std::abs(dx) > 1 && std::abs(dy) > 1 && e.cxx * dx * dx + e.cyy * dy * dy + e.cxy * dx * dy > 1;
}

}  // namespace

void measure_window(Object& object, double half_light, const Masks& masks, const Field& field,
                    const Settings& settings) {
  Windowed& window = object.window;
  const auto sigma = static_cast<float>(2 * half_light / 2.35);
  window.x = object.shape.x;
  window.y = object.shape.y;
  Sums sums;
  double dx = 0, dy = 0;
  // One that has not come to rest after 16 rounds tells 17.
  for (window.rounds = 1; window.rounds <= 16; ++window.rounds) {
    sums = sum_window(object, window.x, window.y, sigma, masks, field, settings);
    dx = sums.x;
    dy = sums.y;
    if (!(sums.light > 0)) break;  // SExtractor tests the moments all the same, with sums where means should be
    dx /= sums.light;
    dy /= sums.light;
    window.x += 2 * dx;
    window.y += 2 * dy;
    if (dx * dx + dy * dy < 1e-8) break;
  }
  window.flux = {sums.light, sums.variance};
  set_moments(window, sums, dx, dy);
  if (!(sums.light > 0)) window.flags |= 4;
  if (strays(object, window)) window.flags |= 8;
  if (window.flags != 0) {
    window.x = object.shape.x;
    window.y = object.shape.y;
    window.x2 = object.shape.x2;
    window.y2 = object.shape.y2;
    window.xy = object.shape.xy;
    window.err_x2 = object.err_x2;
    window.err_y2 = object.err_y2;
    window.err_xy = object.err_xy;
  }
}

}  // namespace srcextract::oracle
