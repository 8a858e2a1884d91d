#include <algorithm>
#include <cmath>

#include "tests/truth/oracle/photometry.hpp"

namespace srcextract::oracle {

float square_of_scale(const Object& object, int x, int y) {
  const Ellipse& e = object.shape.ellipse;
  const float dx = static_cast<float>(x) - static_cast<float>(object.shape.x);
  const float dy = static_cast<float>(y) - static_cast<float>(object.shape.y);
  return e.cxx * dx * dx + e.cyy * dy * dy + e.cxy * dx * dy;
}

Box box_of_ellipse(const Object& object, float scale, const Plane<float>& image) {
  const Ellipse& e = object.shape.ellipse;
  const double across = scale / std::sqrt(e.cxx - static_cast<double>(e.cxy) * e.cxy / (4.0 * e.cyy));
  const double down = scale / std::sqrt(e.cyy - static_cast<double>(e.cxy) * e.cxy / (4.0 * e.cxx));
  const auto rounded = [](double value) { return std::floor(value + 0.5); };
  const auto cx = static_cast<float>(object.shape.x), cy = static_cast<float>(object.shape.y);
  return {rounded(cx - across), rounded(cx + across) + 1, rounded(cy - down), rounded(cy + down) + 1, image};
}

bool mostly_masked(long masked, long area) {
  // The ratio is in float, in which a tenth is more than a tenth in double: exactly a tenth is enough.
  return static_cast<float>(masked) / static_cast<float>(area) > 0.1;
}

void measure_ellipse(Object& object, EllipseFlux& ellipse, const Masks& masks, const Field& field,
                     const Settings& settings) {
  const auto cx = static_cast<float>(object.shape.x), cy = static_cast<float>(object.shape.y);
  const float limit = ellipse.scale * ellipse.scale;
  const Box box = box_of_ellipse(object, ellipse.scale, field.image);
  if (box.cut) object.flags |= aperture_truncated;
  long area = 0, masked = 0;
  Flux& flux = ellipse.flux;
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      if (!(square_of_scale(object, x, y) <= limit)) continue;
      const Sample sample = masks.sample(x, y, object, cx, cy);
      ++area;
      masked += sample.masked;
      flux.value += sample.value;
      flux.variance += sample.variance + photon_variance(sample.value, sample.variance, field, settings);
    }
  }
  if (masked > 0.1 * static_cast<double>(area)) object.flags |= crowded;
  add_photon_variance(flux, field, settings);
  if (flux.value <= 0) ellipse.scale = 0;
}

void measure_kron(Object& object, const Masks& masks, const Field& field, const Settings& settings) {
  const auto cx = static_cast<float>(object.shape.x), cy = static_cast<float>(object.shape.y);
  const Box box = box_of_ellipse(object, 6, field.image);
  if (box.cut) object.flags |= aperture_truncated;
  long area = 0, masked = 0;
  double light = 0, moment = 0;
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      const float square = square_of_scale(object, x, y);
      if (!(square <= 36)) continue;
      ++area;
      const Sample sample = masks.sample(x, y, object, cx, cy);
      if (sample.masked) {
        ++masked;
        continue;
      }
      light += sample.value;
      moment += std::sqrt(static_cast<double>(square)) * sample.value;
    }
  }
  if (mostly_masked(masked, area)) object.flags |= crowded;
  object.automatic.scale = static_cast<float>(settings.kron_minimum);
  if (light > 0 && moment > 0) {
    object.automatic.scale = static_cast<float>(std::max(settings.kron_factor * moment / light, settings.kron_minimum));
  }
  measure_ellipse(object, object.automatic, masks, field, settings);
}

}  // namespace srcextract::oracle
