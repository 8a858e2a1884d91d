#include "regression/statistics/trend.hpp"

#include <algorithm>
#include <cmath>

namespace srcextract {
namespace {

constexpr std::size_t least_bins = 4;

struct Point {
  double x, y, weight;
};

/// The bins with at least two values as points, weighted by their precision. The error is at least a tenth of the
/// typical error, since a bin of equal values has the error 0, although another value could differ.
std::vector<Point> points_of(const std::vector<double>& centre, const std::vector<Location>& locations) {
  double squares = 0;
  for (const Location& location : locations) squares += location.error * location.error;
  const double least = squares / static_cast<double>(locations.size()) / 100;
  std::vector<Point> points;
  for (std::size_t i = 0; i < locations.size(); ++i) {
    if (locations[i].count < 2) continue;
    const double variance = std::max(locations[i].error * locations[i].error, least);
    points.push_back({centre[i], locations[i].mean, variance > 0 ? 1 / variance : 1});
  }
  return points;
}

/// The weighted mean of points, and the error of the mean. If the points scatter more than the weights predict, the
/// error is enlarged accordingly.
struct Mean {
  double value = 0, error = 0;
};
Mean mean_of(std::span<const Point> points) {
  double weight = 0, sum = 0, squares = 0;
  for (const Point& point : points) {
    weight += point.weight;
    sum += point.weight * point.y;
  }
  const double mean = sum / weight;
  for (const Point& point : points) squares += point.weight * (point.y - mean) * (point.y - mean);
  const double excess = points.size() > 1 ? squares / static_cast<double>(points.size() - 1) : 1;
  return {mean, std::sqrt(std::max(1.0, excess) / weight)};
}

}  // namespace

std::vector<Location> locations_in(std::span<const double> difference, const std::vector<std::int64_t>& looked_at,
                                   std::span<const std::uint8_t> bin, std::size_t bins) {
  std::vector<std::vector<double>> sorted(bins);
  for (std::int64_t i : looked_at) {
    const std::size_t pair = static_cast<std::size_t>(i);
    if (std::isfinite(difference[pair])) sorted[bin[pair]].push_back(difference[pair]);
  }
  std::vector<Location> locations;
  for (std::vector<double>& values : sorted) locations.push_back(trimmed_location(values));
  return locations;
}

Location weighted_location(const PairBins& bins, const std::vector<Location>& locations) {
  const std::vector<Point> points = points_of(bins.centre, locations);
  Location result;
  for (const Location& location : locations) result.count += location.count;
  if (points.size() < least_bins) return result;
  const Mean mean = mean_of(points);
  result.mean = mean.value;
  result.error = mean.error;
  if (mean.value != 0)
    result.significance = sigma_of_t(mean.value / mean.error, static_cast<double>(points.size()) - 1);
  return result;
}

Trend fit_trend(const PairBins& bins, const std::vector<Location>& locations) {
  const std::vector<Point> points = points_of(bins.centre, locations);
  if (points.size() < least_bins) return {};
  if (std::all_of(points.begin(), points.end(), [&](const Point& p) { return p.y == points.front().y; })) return {0, 0};
  double weight = 0, x_sum = 0, y_sum = 0;
  for (const Point& point : points) {
    weight += point.weight;
    x_sum += point.weight * point.x;
    y_sum += point.weight * point.y;
  }
  const double x_mean = x_sum / weight, y_mean = y_sum / weight;
  double xx = 0, xy = 0, squares = 0;
  for (const Point& point : points) {
    xx += point.weight * (point.x - x_mean) * (point.x - x_mean);
    xy += point.weight * (point.x - x_mean) * (point.y - y_mean);
  }
  Trend trend;
  trend.slope = xy / xx;
  for (const Point& point : points) {
    const double off = point.y - y_mean - trend.slope * (point.x - x_mean);
    squares += point.weight * off * off;
  }
  const double degrees = static_cast<double>(points.size()) - 2;
  const bool exact = std::all_of(locations.begin(), locations.end(), [](const Location& l) { return l.error == 0; });
  const double excess = squares / degrees;
  trend.error = std::sqrt((exact ? excess : std::max(1.0, excess)) / xx);
  trend.effect = std::abs(trend.slope) * bins.range;
  if (trend.slope != 0) trend.significance = trend.error > 0 ? sigma_of_t(trend.slope / trend.error, degrees) : certain;
  return trend;
}

Deviation find_bright_end(const PairBins& brightness, const std::vector<Location>& locations) {
  Deviation found;
  const std::vector<Point> points = points_of(brightness.centre, locations);
  if (points.size() < least_bins + 1) return found;
  for (std::size_t top = 1; top <= points.size() / 4; ++top) {
    const std::span<const Point> all(points);
    const Mean bright = mean_of(all.last(top));
    const Mean rest = mean_of(all.first(points.size() - top));
    const double deviation = bright.value - rest.value;
    if (deviation == 0) continue;
    const double error = std::hypot(bright.error, rest.error);
    const double significance = sigma_of_t(deviation / error, static_cast<double>(points.size() - top - 1));
    if (significance <= found.significance) continue;
    found.share = static_cast<double>(top) / static_cast<double>(points.size());
    found.deviation = deviation;
    found.error = error;
    found.significance = significance;
  }
  return found;
}

std::vector<Deviation> find_cells(const Division& field, const std::vector<Location>& cells, double least,
                                  double sigma) {
  std::vector<Deviation> found;
  std::vector<double> means;
  double total = 0, squares = 0;
  for (const Location& cell : cells) {
    if (cell.count > 1) means.push_back(cell.mean);
    total += static_cast<double>(cell.count);
    squares += cell.error * cell.error;
  }
  if (means.size() < least_bins) return found;
  const double rest = median_of(means);
  const double least_error = std::sqrt(squares / static_cast<double>(means.size())) / 10;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double deviation = cells[i].mean - rest;
    // The error of a trimmed mean is reliable from about a dozen values on.
    if (cells[i].count < 12 || !(std::abs(deviation) > least)) continue;
    const double degrees = 0.6 * static_cast<double>(cells[i].count) - 1;
    // At least a tenth of the typical error: if all values of a cell are equal, the cell's error is 0, although another
    // value could differ.
    const double error = std::max(cells[i].error, least_error);
    const double significance = error > 0 ? sigma_of_t(deviation / error, degrees) : certain;
    if (significance < sigma) continue;
    found.push_back({field.part(i), static_cast<double>(cells[i].count) / total, deviation, error, significance});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Deviation& a, const Deviation& b) { return a.significance > b.significance; });
  return found;
}

}  // namespace srcextract
