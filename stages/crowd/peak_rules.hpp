#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/crowd/crowd_pixels.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/find_stars.hpp"
#include "stages/crowd/star_cells.hpp"

namespace srcextract {

/// The position of the maximum of the parabola through three values at -1, 0 and 1, limited to [-0.5, 0.5]. 0 if an
/// outer value is not finite or the parabola has no maximum.
SRCEXTRACT_HOST_DEVICE inline double top_of_parabola(float before, float middle, float after) {
  if (!std::isfinite(before) || !std::isfinite(after)) return 0;
  const double bend = static_cast<double>(before) - 2 * static_cast<double>(middle) + static_cast<double>(after);
  if (!(bend < 0)) return 0;
  const double top = 0.5 * (static_cast<double>(before) - static_cast<double>(after)) / bend;
  return top < -0.5 ? -0.5 : top > 0.5 ? 0.5 : top;
}

/// Eight pairs of pixels on opposite sides of a maximum, 1.5 FWHM from it. Light that is larger than a star, as of
/// nebulae, galaxies and wrong levels of the sky, goes on at both sides of its maxima, along one direction at least.
struct OppositePairs {
  static constexpr int count = 8;
  std::int32_t x[count] = {}, y[count] = {};  ///< from the maximum to one pixel of the pair; the other is at -x, -y

  OppositePairs() = default;
  explicit OppositePairs(double fwhm) {
    constexpr double widths = 1.5;
    constexpr double a = 0.92388, b = 0.70711, c = 0.38268;  // cosines of 22.5, 45 and 67.5 degrees
    constexpr double directions[count][2] = {{1, 0}, {a, c}, {b, b}, {c, a}, {0, 1}, {-c, a}, {-b, b}, {-a, c}};
    for (int k = 0; k < count; ++k) {
      x[k] = static_cast<std::int32_t>(std::lround(widths * fwhm * directions[k][0]));
      y[k] = static_cast<std::int32_t>(std::lround(widths * fwhm * directions[k][1]));
    }
  }
};

/// Decides which local maxima of the residual's significance are new stars (find_stars.hpp).
struct PeakRules {
  FindRule rule;
  /// `nearest`: smallest distance from a known star, in pixels. `reach`: largest distance at which a known star can
  /// exclude a new star.
  double nearest = 0, reach = 0;
  std::int32_t turn = 0;
  /// per pixel: members of Significance (find_stars.cpp) for residual, model and norm
  const float *significance = nullptr, *of_model = nullptr, *norm = nullptr;
  const CrowdStar* known = nullptr;
  CellsView cells;
  OppositePairs pairs;

  SRCEXTRACT_HOST_DEVICE bool stands_out(const CrowdPixels& of, std::int64_t i) const {
    if (!(significance[i] > rule.threshold)) return false;
    const double own = significance[i], least = 0.01;
    const double light = static_cast<double>(of_model[i]), in_pixel = static_cast<double>(of.model[i]);
    const double other = light < least ? least : light;
    if (own > 2 * rule.blend * other) return true;
    return of.residual[i] > rule.blend * (in_pixel < least ? least : in_pixel) && own > rule.blend * other;
  }

  /// Whether pixel i is a new star. If so, sets `star`.
  SRCEXTRACT_HOST_DEVICE bool find(const CrowdPixels& of, std::int64_t i, CrowdStar& star) const {
    if (!stands_out(of, i)) return false;
    const std::int64_t x = i % of.width, y = i / of.width;
    // The pixel and its eight neighbours. A neighbour outside the image counts as minus infinity.
    float near[9];
    for (int k = 0; k < 9; ++k) {
      const std::int64_t column = x + k % 3 - 1, row = y + k / 3 - 1;
      near[k] = of.has(column, row) ? significance[row * of.width + column] : -std::numeric_limits<float>::infinity();
    }
    // If neighbours are equal, only the first in raster order is a maximum.
    for (int k = 0; k < 4; ++k)
      if (!(near[4] > near[k])) return false;
    for (int k = 5; k < 9; ++k)
      if (!(near[4] >= near[k])) return false;
    if (!is_above_ridge(of, x, y)) return false;
    star = {static_cast<double>(x) + top_of_parabola(near[3], near[4], near[5]),
            static_cast<double>(y) + top_of_parabola(near[1], near[4], near[7]),
            static_cast<double>(near[4]) / static_cast<double>(norm[i]), turn};
    return is_alone(star.x, star.y);
  }

 private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  /// Whether a maximum stands out of the ridge that it is on: the greatest, over the pairs, of the smaller significance
  /// of a pair. Where a pixel is outside the image or bad, the other one counts. Bright stars that are near one
  /// another, as in the middle of a cluster, or whose cores are spread, are on higher ridges, and clearly above.
  SRCEXTRACT_HOST_DEVICE bool is_above_ridge(const CrowdPixels& of, std::int64_t x, std::int64_t y) const {
    constexpr double least_of_threshold = 0.75, most_of_own = 0.6, clear = 6, most_of_clear = 0.8;
    double ridge = 0;
    for (int k = 0; k < OppositePairs::count; ++k) {
      const double one = significance_at(of, x + pairs.x[k], y + pairs.y[k]),
                   other = significance_at(of, x - pairs.x[k], y - pairs.y[k]), smaller = one < other ? one : other;
      if (smaller > ridge && smaller < unknown) ridge = smaller;
    }
    const double own = significance_at(of, x, y), above = (own - ridge) / rule.threshold;
    return above > least_of_threshold && ridge < (above > clear ? most_of_clear : most_of_own) * own;
  }

  SRCEXTRACT_HOST_DEVICE double significance_at(const CrowdPixels& of, std::int64_t x, std::int64_t y) const {
    const std::int64_t at = y * of.width + x;
    return of.has(x, y) && norm[at] > 0 ? static_cast<double>(significance[at]) : unknown;
  }

  /// Whether all known stars are further away than `nearest`, and further than twice the radius of their saturated
  /// cores.
  SRCEXTRACT_HOST_DEVICE bool is_alone(double x, double y) const {
    bool alone = true;
    cells.each_near(x - reach, x + reach, y - reach, y + reach, [&](std::int32_t j) {
      const CrowdStar& other = known[j];
      const double dx = other.x - x, dy = other.y - y;
      const double own = nearest < 2 * other.core ? 2 * other.core : nearest;
      if (dx * dx + dy * dy <= own * own) alone = false;
    });
    return alone;
  }
};

}  // namespace srcextract
