#include "stages/picture/display_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stages/math/ordered_key.hpp"
#include "stages/math/radix_sort.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t sample_pixels = 1000;
constexpr double contrast = 0.25;
constexpr double rejection = 2.5;  // rejection limit in sigma; this and the other constants are the defaults of zscale
constexpr int most_iterations = 5;

/// A straight line through the sorted sample: value as a function of rank, from 0.
struct Line {
  double slope = 0;
  double intercept = 0;

  double at(std::size_t rank) const { return intercept + slope * static_cast<double>(rank); }
};

/// Fits a least-squares line to the points that are not rejected. There must be at least five.
Line fit_line(std::span<const float> sorted, std::span<const char> rejected) {
  double count = 0;
  double rank_sum = 0;
  double value_sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (rejected[i] != 0) continue;
    count += 1;
    rank_sum += static_cast<double>(i);
    value_sum += static_cast<double>(sorted[i]);
  }
  const double mean_rank = rank_sum / count;
  const double mean_value = value_sum / count;
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (rejected[i] != 0) continue;
    const double rank = static_cast<double>(i) - mean_rank;
    covariance += rank * (static_cast<double>(sorted[i]) - mean_value);
    variance += rank * rank;
  }
  const double slope = covariance / variance;
  return {slope, mean_value - slope * mean_rank};
}

/// Returns the standard deviation of the residuals of the points that are not rejected, about the mean residual.
double deviation_from(const Line& line, std::span<const float> sorted, std::span<const char> rejected) {
  double count = 0;
  double sum = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (rejected[i] != 0) continue;
    count += 1;
    sum += static_cast<double>(sorted[i]) - line.at(i);
  }
  const double mean = sum / count;
  double squares = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (rejected[i] != 0) continue;
    const double residual = static_cast<double>(sorted[i]) - line.at(i) - mean;
    squares += residual * residual;
  }
  return std::sqrt(squares / count);
}

/// Rejects every point far from the line, together with its neighbours in rank: `grow` points, centred on the point. If
/// `grow` is even, one more neighbour above than below is rejected.
void reject(const Line& line, std::span<const float> sorted, std::size_t grow, std::vector<char>& rejected) {
  const double limit = rejection * deviation_from(line, sorted, rejected);
  const std::size_t below = (grow - 1) / 2;
  std::vector<char> centres = rejected;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (std::fabs(static_cast<double>(sorted[i]) - line.at(i)) > limit) centres[i] = 1;
  }
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (centres[i] == 0) continue;
    const std::size_t begin = std::max(i, below) - below;
    const std::size_t end = std::min(sorted.size(), i + grow - below);
    for (std::size_t near = begin; near < end; ++near) rejected[near] = 1;
  }
}

double median_of(std::span<const float> sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 != 0) return sorted[middle];
  return (static_cast<double>(sorted[middle - 1]) + static_cast<double>(sorted[middle])) / 2;
}

}  // namespace

std::vector<SamplePlace> place_sample(std::span<const std::uint32_t> unmasked) {
  const std::int64_t total = std::accumulate(unmasked.begin(), unmasked.end(), std::int64_t{0});
  const std::int64_t stride = std::max<std::int64_t>(1, total / sample_pixels);
  std::vector<SamplePlace> places;
  std::int64_t before_chunk = 0;
  std::int64_t next = 0;
  for (std::size_t chunk = 0; chunk < unmasked.size(); ++chunk) {
    const std::int64_t end = std::min(before_chunk + unmasked[chunk], sample_pixels * stride);
    for (; next < end; next += stride) {
      places.push_back({static_cast<std::int64_t>(chunk), static_cast<std::int32_t>(next - before_chunk)});
    }
    before_chunk += unmasked[chunk];
  }
  return places;
}

DisplayRange zscale(std::vector<float> sample) {
  if (sample.empty()) return {};
  radix_sort(sample);
  const std::span<const float> sorted = sample;
  const std::size_t least = std::max<std::size_t>(5, sorted.size() / 2);
  const std::size_t grow = std::max<std::size_t>(1, sorted.size() / 100);
  std::vector<char> rejected(sorted.size(), 0);
  std::size_t left = sorted.size();
  std::size_t last_left = left + 1;
  Line line;
  for (int i = 0; i < most_iterations && left < last_left && left >= least; ++i) {
    line = fit_line(sorted, rejected);
    reject(line, sorted, grow, rejected);
    last_left = left;
    left = static_cast<std::size_t>(std::ranges::count(rejected, 0));
  }
  const double low = sorted.front();
  const double high = sorted.back();
  if (left < least) return range_between(low, high);
  const auto size = static_cast<std::int64_t>(sorted.size());
  const std::int64_t centre = (size - 1) / 2;
  const double slope = line.slope / contrast;
  const double median = median_of(sorted);
  const double black = std::max(low, median - static_cast<double>(centre - 1) * slope);
  const double white = std::min(high, median + static_cast<double>(size - centre) * slope);
  // If most of the sample has one value, the line is flat, and the range would be empty.
  return static_cast<float>(black) < static_cast<float>(white) ? range_between(black, white) : range_between(low, high);
}

DisplayRange range_of(const KeyExtremes& extremes) {
  if (extremes.lowest > extremes.highest) return {};
  return range_between(value_of_signed_key(extremes.lowest), value_of_signed_key(extremes.highest));
}

DisplayRange range_between(double low, double high) {
  constexpr double most = std::numeric_limits<float>::max();
  const auto nearest = [&](double limit) { return static_cast<float>(std::clamp(limit, -most, most)); };
  const DisplayRange range{nearest(low), nearest(high)};
  if (range.low < range.high) return range;
  if (range.low == std::numeric_limits<float>::max()) return {next_below(range.low), range.low};
  return {range.low, next_above(range.low)};
}

}  // namespace srcextract
