#include "stages/crowd/saturated_cores.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace srcextract {
namespace {

/// Pixels in ascending order, and for each whether it is in no island yet. An island: connected saturated pixels.
struct LeftPixels {
  const std::vector<std::int64_t>& pixels;
  std::vector<char> left;

  /// Marks a pixel as part of an island. Returns false if the pixel is not in `pixels` or already part of an island.
  bool take(std::int64_t pixel) {
    const auto at = std::ranges::lower_bound(pixels, pixel);
    if (at == pixels.end() || *at != pixel) return false;
    return std::exchange(left[static_cast<std::size_t>(at - pixels.begin())], char{0}) != 0;
  }
};

/// Collects the island that contains pixel `first`, which is already marked, and returns a star in its place.
CrowdStar take_island(const Shape& shape, double saturation, std::int64_t first, LeftPixels& all) {
  std::vector<std::int64_t> island = {first};
  double x = 0, y = 0;
  for (std::size_t next = 0; next < island.size(); ++next) {
    const std::int64_t column = island[next] % shape.width, row = island[next] / shape.width;
    x += static_cast<double>(column);
    y += static_cast<double>(row);
    for (std::int64_t v = row - 1; v <= row + 1; ++v)
      for (std::int64_t u = column - 1; u <= column + 1; ++u)
        if (u >= 0 && v >= 0 && u < shape.width && v < shape.height && all.take(v * shape.width + u))
          island.push_back(v * shape.width + u);
  }
  const auto count = static_cast<double>(island.size());
  CrowdStar star{x / count, y / count, saturation * count, 1, flag::saturated};
  star.core = std::sqrt(count / std::numbers::pi);
  return star;
}

}  // namespace

std::vector<CrowdStar> find_saturated_cores(const std::vector<std::int64_t>& saturated, const Shape& shape,
                                            double saturation) {
  std::vector<CrowdStar> stars;
  LeftPixels left{saturated, std::vector<char>(saturated.size(), 1)};
  for (const std::int64_t pixel : saturated)
    if (left.take(pixel)) stars.push_back(take_island(shape, saturation, pixel, left));
  return stars;
}

}  // namespace srcextract
