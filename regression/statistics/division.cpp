#include "regression/statistics/division.hpp"

#include <algorithm>
#include <cmath>

#include "regression/statistics/robust.hpp"
#include "stages/math/splitmix64.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t looked_at_most = std::int64_t{1} << 20;
/// Limits on bins. With 30 values in a bin, the statistic of the bin follows Student's t distribution closely. With at
/// most 32 bins, each bin of a large catalogue has enough values for significant deviations.
constexpr std::size_t least_in_bin = 30, most_bins = 32;
constexpr std::size_t least_in_cell = 40, most_cells_a_side = 8;

std::vector<std::int64_t> choose_pairs(std::int64_t count) {
  std::vector<std::int64_t> chosen;
  const std::uint64_t every = static_cast<std::uint64_t>((count + looked_at_most - 1) / looked_at_most);
  for (std::int64_t i = 0; i < count; ++i) {
    if (every <= 1 || splitmix64(i) % every == 0) chosen.push_back(i);
  }
  return chosen;
}

std::vector<double> finite_values(std::span<const double> values, const std::vector<std::int64_t>& chosen) {
  std::vector<double> result;
  for (std::int64_t i : chosen) {
    const double value = values[static_cast<std::size_t>(i)];
    if (std::isfinite(value)) result.push_back(value);
  }
  return result;
}

PairBins divide(std::span<const double> values, std::size_t pairs, const std::vector<std::int64_t>& chosen) {
  PairBins bins;
  bins.of_pair.assign(pairs, 0);
  std::vector<double> sorted = values.empty() ? std::vector<double>() : finite_values(values, chosen);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t count = std::clamp<std::size_t>(sorted.size() / least_in_bin, 1, most_bins);
  std::vector<double> edges;  // values between neighbouring bins; two equal edges would make an empty bin
  for (std::size_t i = 1; i < count; ++i) {
    const double edge = sorted[i * sorted.size() / count];
    if (edge > (edges.empty() ? sorted.front() : edges.back())) edges.push_back(edge);
  }
  auto begin = sorted.begin();
  for (std::size_t i = 0; i <= edges.size(); ++i) {
    const auto end = i < edges.size() ? std::lower_bound(begin, sorted.end(), edges[i]) : sorted.end();
    bins.centre.push_back(median_of({begin, end}));
    begin = end;
  }
  bins.range = bins.centre.back() - bins.centre.front();
  if (edges.empty()) return bins;
  for (std::size_t i = 0; i < pairs; ++i) {
    if (!std::isfinite(values[i])) continue;
    bins.of_pair[i] =
        static_cast<std::uint8_t>(std::upper_bound(edges.begin(), edges.end(), values[i]) - edges.begin());
  }
  return bins;
}

void extremes(std::span<const double> values, double& low, double& high) {
  bool first = true;
  for (double value : values) {
    if (!std::isfinite(value)) continue;
    low = first ? value : std::min(low, value);
    high = first ? value : std::max(high, value);
    first = false;
  }
}

/// The index of the part to which a value belongs if [low, high] is divided into `slots` equal parts. Values are
/// halved, so that the range cannot overflow. An empty range or a NaN gives 0.
std::size_t slot(double value, double low, double high, std::size_t slots) {
  if (!(high > low) || !std::isfinite(value)) return 0;
  const double place = (value / 2 - low / 2) / (high / 2 - low / 2) * static_cast<double>(slots);
  return place > 0 ? static_cast<std::size_t>(std::min(place, static_cast<double>(slots - 1))) : 0;
}

}  // namespace

std::size_t Division::cell_of(double px, double py) const {
  return slot(py, whole.low_y, whole.high_y, side) * side + slot(px, whole.low_x, whole.high_x, side);
}

Part Division::part(std::size_t cell_number) const {
  const double width = (whole.high_x - whole.low_x) / static_cast<double>(side);
  const double height = (whole.high_y - whole.low_y) / static_cast<double>(side);
  const std::size_t row = cell_number / side, column = cell_number % side;
  const double left = whole.low_x + width * static_cast<double>(column);
  const double bottom = whole.low_y + height * static_cast<double>(row);
  return {left, left + width, bottom, bottom + height};
}

Division divide_pairs(std::span<const double> brightness, std::span<const double> x, std::span<const double> y) {
  Division field;
  field.looked_at = choose_pairs(static_cast<std::int64_t>(x.size()));
  field.brightness = divide(brightness, x.size(), field.looked_at);
  field.x = divide(x, x.size(), field.looked_at);
  field.y = divide(y, x.size(), field.looked_at);
  extremes(x, field.whole.low_x, field.whole.high_x);
  extremes(y, field.whole.low_y, field.whole.high_y);
  const double side = std::sqrt(static_cast<double>(x.size()) / static_cast<double>(least_in_cell));
  field.side = std::clamp<std::size_t>(static_cast<std::size_t>(side), 1, most_cells_a_side);
  field.cell.resize(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) field.cell[i] = static_cast<std::uint8_t>(field.cell_of(x[i], y[i]));
  return field;
}

}  // namespace srcextract
