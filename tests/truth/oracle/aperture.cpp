#include <algorithm>
#include <cmath>

#include "tests/truth/oracle/photometry.hpp"

namespace srcextract::oracle {

Box::Box(double left_edge, double right_edge, double top_edge, double bottom_edge, const Plane<float>& image)
    : left(static_cast<int>(left_edge)),
      right(static_cast<int>(right_edge)),
      top(static_cast<int>(top_edge)),
      bottom(static_cast<int>(bottom_edge)) {
  cut = left < 0 || top < 0 || right > image.width || bottom > image.height;
  left = std::max(left, 0);
  top = std::max(top, 0);
  right = std::min(right, image.width);
  bottom = std::min(bottom, image.height);
}

float overlap(float dx, float dy, float radius, int side) {
  const float outer = radius + 0.75F, inner = std::max(radius - 0.75F, 0.0F);
  const float distance = dx * dx + dy * dy;
  if (!(distance < outer * outer)) return -1;
  if (distance <= inner * inner) return 1;
  const float step = 1.0F / static_cast<float>(side), first = 0.5F * (step - 1);
  int inside = 0;
  float v = dy + first;
  for (int j = 0; j < side; ++j, v += step) {
    float u = dx + first;
    for (int i = 0; i < side; ++i, u += step) inside += u * u + v * v < radius * radius;
  }
  return static_cast<float>(inside) * (step * step);
}

double photon_variance(double value, double variance, const Field& field, const Settings& settings) {
  if (field.variance.empty() || !settings.weight_gain || settings.gain <= 0 || value <= 0) return 0;
  return value / settings.gain * variance / (static_cast<double>(field.noise) * field.noise);
}

void add_photon_variance(Flux& flux, const Field& field, const Settings& settings) {
  const bool by_pixel = !field.variance.empty() && settings.weight_gain;
  if (!by_pixel && settings.gain > 0 && flux.value > 0) flux.variance += flux.value / settings.gain;
}

void measure_apertures(Object& object, const Masks& masks, const Field& field, const Settings& settings) {
  // All of the geometry is in float: it moves a sub-pixel now and then.
  const auto cx = static_cast<float>(object.shape.x), cy = static_cast<float>(object.shape.y);
  for (const double diameter : settings.phot_apertures) {
    const auto radius = static_cast<float>(diameter / 2);
    const Box box = box_of_circle(cx, cy, radius, field.image);
    if (box.cut) object.flags |= aperture_truncated;
    Flux flux;
    for (int y = box.top; y < box.bottom; ++y) {
      for (int x = box.left; x < box.right; ++x) {
        const float weight = overlap(static_cast<float>(x) - cx, static_cast<float>(y) - cy, radius, 5);
        if (weight < 0) continue;
        const Sample sample = masks.sample(x, y, object, cx, cy);
        flux.value += weight * sample.value;
        // The photons' noise is not weighed by the overlap.
        flux.variance += weight * sample.variance + photon_variance(sample.value, sample.variance, field, settings);
      }
    }
    add_photon_variance(flux, field, settings);
    object.aper.push_back(flux);
  }
}

}  // namespace srcextract::oracle
