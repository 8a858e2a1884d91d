#include "tests/truth/oracle/extract.hpp"

#include <algorithm>
#include <utility>

#include "tests/truth/oracle/clean.hpp"
#include "tests/truth/oracle/deblend.hpp"
#include "tests/truth/oracle/detect.hpp"
#include "tests/truth/oracle/shape.hpp"

namespace srcextract::oracle {
namespace {

bool touches_border(const std::vector<Pixel>& pixels, const Plane<float>& image) {
  return std::any_of(pixels.begin(), pixels.end(), [&](const Pixel& pixel) {
    return pixel.x == 0 || pixel.y == 0 || pixel.x == image.width - 1 || pixel.y == image.height - 1;
  });
}

/// The sources of one connected set.
std::vector<Object> separate(const Component& component, const Field& field, const Settings& settings) {
  float threshold = component.pixels.front().threshold;
  for (const Pixel& pixel : component.pixels) threshold = std::min(threshold, pixel.threshold);
  const std::vector<Core> cores = find_cores(component, threshold, settings);
  std::vector<Object> objects(1);
  objects[0].pixels = component.pixels;
  if (!cores.empty()) objects = share_pixels(component, cores, threshold, !field.variance.empty(), settings);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    // Of a core, not of what was shared out.
    if (touches_border(cores.empty() ? component.pixels : cores[i].pixels, field.image)) objects[i].flags |= truncated;
    objects[i].threshold = threshold;
    objects[i].parent_last_row = component.last_row;
  }
  return objects;
}

}  // namespace

std::vector<Object> find_objects(Field& field, const Settings& settings) {
  filter(field);
  std::vector<Object> objects;
  int parent = 0;
  for (const Component& component : connect(threshold(field, settings))) {
    if (static_cast<int>(component.pixels.size()) < settings.detect_minarea) continue;
    ++parent;
    for (Object& object : separate(component, field, settings)) {
      object.parent = parent;
      object.number = static_cast<int>(objects.size());
      object.mthresh = limit_of(object.pixels, settings.detect_minarea);
      measure_isophote(object, field, settings);
      objects.push_back(std::move(object));
    }
  }
  if (settings.clean) clean(objects, settings);
  return objects;
}

}  // namespace srcextract::oracle
