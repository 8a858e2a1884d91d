#include <cmath>

#include "tests/truth/oracle/detect.hpp"

namespace srcextract::oracle {
namespace {

Plane<float> convolved(const Plane<float>& image, const Field& field) {
  Plane<float> result{image.width, image.height, std::vector<float>(image.values.size())};
  const int left = field.kernel_width / 2, above = field.kernel_height / 2;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      float sum = 0;
      for (int j = 0; j < field.kernel_height; ++j) {
        for (int i = 0; i < field.kernel_width; ++i) {
          const float weight = field.kernel[static_cast<std::size_t>(j) * field.kernel_width + i];
          if (image.has(x + i - left, y + j - above)) sum += weight * image.at(x + i - left, y + j - above);
        }
      }
      result.at(x, y) = sum;
    }
  }
  return result;
}

}  // namespace

void filter(Field& field) {
  field.filtered = convolved(field.image, field);
  if (!field.variance.empty()) field.filtered_variance = convolved(field.variance, field);
}

std::vector<Pixel> threshold(const Field& field, const Settings& settings) {
  std::vector<Pixel> found;
  for (int y = 0; y < field.image.height; ++y) {
    for (int x = 0; x < field.image.width; ++x) {
      const double noise =
          field.variance.empty() ? field.noise : std::sqrt(static_cast<double>(field.filtered_variance.at(x, y)));
      const auto level = static_cast<float>(settings.detect_thresh * noise);
      const float filtered = field.filtered.at(x, y);
      if (filtered > level) found.push_back({x, y, field.image.at(x, y), filtered, level});
    }
  }
  return found;
}

}  // namespace srcextract::oracle
