#include <algorithm>

#include "tests/truth/oracle/photometry.hpp"

namespace srcextract::oracle {
namespace {

/// What is within 1.2 times a scale, of it the annulus beyond that scale, and what is within 1.1 times it.
struct Rings {
  double annulus = 0, within = 0;
  long annulus_area = 0, within_area = 0, area = 0, masked = 0;

  /// Whether the annulus is less than a fifth as bright as what is within. Thin annuli near the centre have no pixel.
  bool fade() const {
    if (annulus_area == 0 || within_area == 0) return false;
    return annulus / static_cast<double>(annulus_area) < 0.2 * within / static_cast<double>(within_area);
  }
};

Rings rings_at(float scale, const Box& box, const Object& object, const Masks& masks) {
  const auto cx = static_cast<float>(object.shape.x), cy = static_cast<float>(object.shape.y);
  const float inner = scale * scale, outer = 1.2F * scale * (1.2F * scale), middle = 1.1F * scale * (1.1F * scale);
  Rings rings;
  for (int y = box.top; y < box.bottom; ++y) {
    for (int x = box.left; x < box.right; ++x) {
      const float square = square_of_scale(object, x, y);
      if (!(square <= outer)) continue;
      const Sample sample = masks.sample(x, y, object, cx, cy);
      ++rings.area;
      if (sample.masked) {
        ++rings.masked;
        continue;
      }
      if (square >= inner) {
        rings.annulus += sample.value;
        ++rings.annulus_area;
      }
      if (square < middle) {
        rings.within += sample.value;
        ++rings.within_area;
      }
    }
  }
  return rings;
}

}  // namespace

void measure_petrosian(Object& object, const Masks& masks, const Field& field, const Settings& settings) {
  const Box box = box_of_ellipse(object, 6, field.image);
  if (box.cut) object.flags |= aperture_truncated;
  float scale = 0.3F;
  Rings rings;
  for (float next = 0.3F; next * 1.2F < 6; next += 0.3F) {
    scale = next;
    rings = rings_at(scale, box, object, masks);
    if (rings.fade()) break;
  }
  if (mostly_masked(rings.masked, rings.area)) object.flags |= crowded;
  object.petro.scale =
      std::max(static_cast<float>(settings.petro_factor * 1.1 * scale), static_cast<float>(settings.petro_minimum));
  measure_ellipse(object, object.petro, masks, field, settings);
}

}  // namespace srcextract::oracle
