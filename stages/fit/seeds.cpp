#include "stages/fit/seeds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <numeric>

namespace srcextract {
namespace {

constexpr int around[3] = {-1, 0, 1};

constexpr double weight_of(int dx, int dy) {
  return dx == 0 && dy == 0 ? 8 : -1;
}

/// Returns the curvature at a pixel, which is positive at a peak: the sum of the differences between the pixel and its
/// eight neighbours. If a neighbour is masked or outside the image, the opposite neighbour is left out too, since its
/// difference alone would contain the slope of the light. The sum is then scaled up to eight neighbours. The result is
/// 0 if no neighbours are left.
double curvature(const FitMap& map, std::int32_t x, std::int32_t y) {
  const auto at = [&](int dx, int dy) {
    return map.holds(x + dx, y + dy) ? static_cast<double>(map.at(x + dx, y + dy))
                                     : std::numeric_limits<double>::quiet_NaN();
  };
  const double middle = at(0, 0);
  double sum = 0;
  int counted = 0;
  for (const int dy : around)
    for (const int dx : around) {
      const double value = at(dx, dy);
      if ((dx == 0 && dy == 0) || std::isnan(value) || std::isnan(at(-dx, -dy))) continue;
      sum += middle - value;
      ++counted;
    }
  return counted > 0 ? sum * 8 / counted : 0;
}

/// Finds the summits of an island from which fits start (find_seeds).
class Summits {
 public:
  Summits(const FitMap& map, const FitIsland& island, const SeedRule& rule) : map_(map), island_(island), rule_(rule) {
    const auto size = static_cast<std::size_t>(island.size());
    curvature_.reserve(size);
    island.for_each_pixel([&](std::int32_t x, std::int32_t y) {
      x_.push_back(x);
      y_.push_back(y);
      curvature_.push_back(curvature(map, x, y));
    });
    order_.resize(size);
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, std::greater<>(), [&](std::size_t i) { return curvature_[i]; });
    summit_.assign(size, none);
    flood();
  }

  const std::vector<std::size_t>& found() const { return found_; }
  std::int32_t x(std::size_t i) const { return x_[i]; }
  std::int32_t y(std::size_t i) const { return y_[i]; }
  double curved(std::size_t i) const { return curvature_[i]; }

 private:
  static constexpr auto none = static_cast<std::size_t>(-1);

  /// Adds the pixels of the island in the order of decreasing curvature, down to 0, and joins touching pixels into
  /// regions. Each region belongs to its summit, the pixel of highest curvature. Where two regions meet, judge()
  /// decides whether the lower summit is kept, from the curvature of the meeting pixel. At the end, judge() decides on
  /// the remaining summits, which have no saddle, with the curvature 0 in place of the saddle's.
  void flood() {
    for (const std::size_t pixel : order_) {
      if (curvature_[pixel] <= 0) break;
      summit_[pixel] = pixel;
      for (const int dy : around)
        for (const int dx : around) {
          if (dx == 0 && dy == 0) continue;
          const std::int64_t near = place_near(pixel, dx, dy);
          if (near >= 0 && summit_[static_cast<std::size_t>(near)] != none) join(pixel, static_cast<std::size_t>(near));
        }
    }
    for (const std::size_t pixel : order_)
      if (summit_[pixel] == pixel) judge(pixel, 0);
    std::ranges::stable_sort(found_, std::greater<>(), [&](std::size_t i) { return map_.at(x_[i], y_[i]); });
  }

  /// Returns the index in the island of the neighbour at (dx, dy). If the neighbour is masked, returns the index of the
  /// pixel beyond. Returns -1 if the pixel is not in the island.
  std::int64_t place_near(std::size_t pixel, int dx, int dy) const {
    const std::int32_t x = x_[pixel] + dx, y = y_[pixel] + dy;
    const bool masked = map_.holds(x, y) && std::isnan(map_.at(x, y));
    return masked ? island_.place_of(x + dx, y + dy) : island_.place_of(x, y);
  }

  void join(std::size_t pixel, std::size_t near) {
    const std::size_t a = root_of(pixel), b = root_of(near);
    if (a == b) return;
    const bool first = curvature_[a] > curvature_[b] || (curvature_[a] == curvature_[b] && a < b);
    const std::size_t higher = first ? a : b, lower = first ? b : a;
    if (lower != pixel) judge(lower, curvature_[pixel]);
    summit_[lower] = higher;
  }

  std::size_t root_of(std::size_t pixel) {
    while (summit_[pixel] != pixel) pixel = summit_[pixel] = summit_[summit_[pixel]];
    return pixel;
  }

  void judge(std::size_t summit, double saddle) {
    constexpr double least_prominence = 4;
    const double noise = map_.noise(x_[summit], y_[summit]);
    const double least = least_prominence * rule_.curved_noise * noise + rule_.ripple * curvature_[summit];
    if (curvature_[summit] - saddle > least && brightest_near(summit) > rule_.least * noise) found_.push_back(summit);
  }

  double brightest_near(std::size_t pixel) const {
    float most = map_.at(x_[pixel], y_[pixel]);
    for (const int dy : around)
      for (const int dx : around)
        if (map_.holds(x_[pixel] + dx, y_[pixel] + dy)) most = std::max(most, map_.at(x_[pixel] + dx, y_[pixel] + dy));
    return static_cast<double>(most);
  }

  const FitMap& map_;
  const FitIsland& island_;
  const SeedRule& rule_;
  std::vector<std::int32_t> x_, y_;
  std::vector<double> curvature_;
  std::vector<std::size_t> order_, summit_, found_;
};

/// Returns ln(peak / threshold), at least ln 1.2. The threshold cuts a Gaussian of this peak this many factors of e
/// below the peak.
double depth_of(double peak, const SeedRule& rule) {
  return portable_log(std::max(peak / rule.threshold, 1.2));
}

/// Returns the area of an island's Gaussian divided by the beam's area, computed from the number of pixels of the
/// island. The island is assumed to be one Gaussian that the threshold cuts.
double growth_by_area(const FitIsland& island, double peak, const SeedRule& rule) {
  const double depth = depth_of(peak, rule);
  return static_cast<double>(island.size()) / (2 * std::numbers::pi * depth * std::sqrt(rule.beam.determinant()));
}

Gaussian start_at(const FitMap& map, const FitIsland& island, std::int32_t x, std::int32_t y, double growth,
                  const SeedRule& rule) {
  const double peak = std::max(static_cast<double>(map.at(x, y)) / island.noise(), 1.0);
  const double grown = std::clamp(growth, 1.0, std::max(1.0, growth_by_area(island, peak, rule)));
  return gaussian_of(peak, x, y, {grown * rule.beam.xx, grown * rule.beam.xy, grown * rule.beam.yy});
}

/// Returns the start for an island that is one Gaussian much larger than the beam, with the island's shape. If a
/// Gaussian with the covariance matrix K is cut at exp(-d) of its peak, the pixels above the cut have the second
/// moments d K / 2. d is `depth`.
Gaussian start_of_shape(const FitMap& map, const FitIsland& island, std::int32_t x, std::int32_t y, double depth) {
  double sum_x = 0, sum_y = 0;
  island.for_each_pixel([&](std::int32_t px, std::int32_t py) {
    sum_x += px;
    sum_y += py;
  });
  const auto size = static_cast<double>(island.size());
  GaussianShape moments{0, 0, 0};
  island.for_each_pixel([&](std::int32_t px, std::int32_t py) {
    const double dx = px - sum_x / size, dy = py - sum_y / size, by = 2 / (depth * size);
    moments.xx += by * dx * dx;
    moments.xy += by * dx * dy;
    moments.yy += by * dy * dy;
  });
  // The pixels' own width, which counts where the island is a single row, column or diagonal.
  const double of_a_pixel = 2 / (12 * depth);
  if (moments.axis(-1) < of_a_pixel) {
    moments.xx += of_a_pixel;
    moments.yy += of_a_pixel;
  }
  return gaussian_of(static_cast<double>(map.at(x, y)) / island.noise(), x, y, moments);
}

/// Returns the curvature of a Gaussian with this shape and a peak of 1, at the distance (x, y) from its centre.
double curvature_of(const GaussianShape& spread, double x = 0, double y = 0) {
  const Gaussian unit = gaussian_of(1, 0, 0, spread);
  double sum = 0;
  for (const int dy : around)
    for (const int dx : around) sum += unit.at(x, y) - unit.at(x + dx, y + dy);
  return sum;
}

}  // namespace

double noise_of_curvature(const NoiseCorrelation& correlation) {
  double variance = 0;
  const auto at = [&](int dx, int dy) {
    if (dy < 0) {
      dx = -dx;
      dy = -dy;
    }
    return std::abs(dx) > correlation.reach() || dy > correlation.reach()
               ? 0.0
               : correlation.row(dy)[dx + correlation.reach()];
  };
  for (const int ay : around)
    for (const int ax : around)
      for (const int by : around)
        for (const int bx : around) variance += weight_of(ax, ay) * weight_of(bx, by) * at(bx - ax, by - ay);
  return std::sqrt(variance);
}

double ripple_of_curvature(const GaussianShape& beam) {
  // Pixels beside the ridge are assumed to be half a pixel from its line. Pixels on the ridge are then at least two
  // pixels apart along it. A pixel beside the ridge is between two pixels on the ridge. If the source is centred on the
  // first, the distances of the other two along the ridge are 1 and 2 pixels. The light falls between these distances
  // by the factor exp(-(2^2 - 1^2) / (2 variance)).
  constexpr double beside = 0.5, fall = 1.5;
  const double angle = portable_atan2(2 * beam.xy, beam.xx - beam.yy) / 2;
  const auto [cosine, sine] = portable_cosine_sine(angle);
  const double off = curvature_of(beam, -beside * sine, beside * cosine) / curvature_of(beam);
  return std::max(0.0, 1 - off * portable_exp(fall / beam.axis(1)));
}

std::vector<Gaussian> find_seeds(const FitMap& map, const FitIsland& island, const SeedRule& rule) {
  const Summits summits(map, island, rule);
  std::vector<Gaussian> seeds;
  const double of_beam = curvature_of(rule.beam);
  const bool one = summits.found().size() < 2;
  constexpr double much_larger = 2;
  const double peak = island.peak() / island.noise(), by_area = growth_by_area(island, peak, rule);
  if (one && by_area > much_larger)
    return {start_of_shape(map, island, island.xpeak(), island.ypeak(), depth_of(peak, rule))};
  for (const std::size_t i : summits.found()) {
    const double by_curvature = static_cast<double>(map.at(summits.x(i), summits.y(i))) * of_beam / summits.curved(i);
    seeds.push_back(start_at(map, island, summits.x(i), summits.y(i), one ? by_area : by_curvature, rule));
  }
  if (seeds.empty()) seeds.push_back(start_at(map, island, island.xpeak(), island.ypeak(), by_area, rule));
  return seeds;
}

}  // namespace srcextract
