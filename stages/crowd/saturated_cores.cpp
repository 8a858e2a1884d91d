#include "stages/crowd/saturated_cores.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace srcextract {
namespace {

/// Takes the pixels of the island of pixel `first` off the map, and makes a star of them.
CrowdStar take_island(const CrowdField& field, std::int64_t first, std::vector<char>& left) {
  const std::int64_t width = field.shape().width, height = field.shape().height;
  std::vector<std::int64_t> pixels = {first};
  left[static_cast<std::size_t>(first)] = 0;
  double x = 0, y = 0;
  for (std::size_t next = 0; next < pixels.size(); ++next) {
    const std::int64_t column = pixels[next] % width, row = pixels[next] / width;
    x += static_cast<double>(column);
    y += static_cast<double>(row);
    for (std::int64_t v = row - 1; v <= row + 1; ++v) {
      for (std::int64_t u = column - 1; u <= column + 1; ++u) {
        if (u < 0 || v < 0 || u >= width || v >= height || left[static_cast<std::size_t>(v * width + u)] == 0) continue;
        left[static_cast<std::size_t>(v * width + u)] = 0;
        pixels.push_back(v * width + u);
      }
    }
  }
  const auto count = static_cast<double>(pixels.size());
  CrowdStar star{x / count, y / count, field.saturation() * count, 1, flag::saturated};
  star.core = std::sqrt(count / std::numbers::pi);
  return star;
}

}  // namespace

std::vector<CrowdStar> find_saturated_cores(const CrowdField& field) {
  std::vector<CrowdStar> stars;
  if (!std::isfinite(field.saturation())) return stars;
  const std::int64_t count = field.shape().count();
  std::vector<char> left(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) left[static_cast<std::size_t>(i)] = field.is_saturated(i) ? 1 : 0;
  for (std::int64_t i = 0; i < count; ++i)
    if (left[static_cast<std::size_t>(i)] != 0) stars.push_back(take_island(field, i, left));
  return stars;
}

}  // namespace srcextract
