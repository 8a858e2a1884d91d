#include "regression/verdict/concentration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "regression/statistics/spread.hpp"

namespace srcextract {
namespace {

constexpr double nearly_all = 0.9;
constexpr std::size_t least_for_a_place = 8, least_for_a_range = 5;
/// Fraction of the field's area. Eight random positions lie in a part of that size with a probability of about 1e-4.
constexpr double small_part = 0.25;
constexpr double small_range = 0.3;

std::size_t most_of(std::size_t count) {
  return static_cast<std::size_t>(std::ceil(nearly_all * static_cast<double>(count)));
}

/// The narrowest interval that contains 90 % of the sorted values.
std::pair<double, double> narrowest(const std::vector<double>& values) {
  const std::size_t most = most_of(values.size());
  std::size_t best = 0;
  for (std::size_t i = 0; i + most <= values.size(); ++i) {
    if (values[i + most - 1] - values[i] < values[best + most - 1] - values[best]) best = i;
  }
  return {values[best], values[best + most - 1]};
}

double area(const Part& part) {
  return (part.high_x - part.low_x) * (part.high_y - part.low_y);
}

}  // namespace

Concentration where_mostly(const Sample& sample, const Division& field, Frame frame) {
  const std::vector<double> x = sorted(sample.x, 1), y = sorted(sample.y, 1);
  if (std::min(x.size(), y.size()) < least_for_a_place) return {};
  const auto [low_x, high_x] = narrowest(x);
  const auto [low_y, high_y] = narrowest(y);
  const Part part{low_x, high_x, low_y, high_y};
  if (!(area(part) <= small_part * area(field.whole))) return {};
  std::size_t inside = 0;
  for (std::size_t i = 0; i < sample.x.size(); ++i)
    inside += sample.x[i] >= low_x && sample.x[i] <= high_x && sample.y[i] >= low_y && sample.y[i] <= high_y;
  return {fmt::format("; {} of them at {}", inside, place_in_words(part, frame)), part_differs};
}

Concentration how_bright(const Sample& sample, std::span<const double> all) {
  const std::vector<double> theirs = sorted(sample.brightness, 1);
  if (theirs.size() < least_for_a_range || all.empty()) return {};
  const std::size_t most = most_of(theirs.size());
  const double count = static_cast<double>(all.size());
  const double fainter = static_cast<double>(std::upper_bound(all.begin(), all.end(), theirs[most - 1]) - all.begin());
  const double brighter =
      static_cast<double>(all.end() - std::lower_bound(all.begin(), all.end(), theirs[theirs.size() - most]));
  if (std::min(fainter, brighter) > small_range * count) return {};
  if (fainter < brighter)
    return {fmt::format("; {} of them among the faintest {:.1f} %", most, 100 * fainter / count), ""};
  return {fmt::format("; {} of them among the brightest {:.1f} %", most, 100 * brighter / count), bright_end_differs};
}

Concentration in_common(const Sample& sample, std::span<const double> all, const Division& field, Frame frame) {
  Concentration found = how_bright(sample, all);
  return found.words.empty() ? where_mostly(sample, field, frame) : found;
}

std::string place_in_words(const Part& place, Frame frame) {
  if (frame == Frame::sky)
    return fmt::format("right ascension {:.4f} to {:.4f}, declination {:.4f} to {:.4f}", place.low_x, place.high_x,
                       place.low_y, place.high_y);
  return fmt::format("x {:.0f} to {:.0f}, y {:.0f} to {:.0f}", place.low_x, place.high_x, place.low_y, place.high_y);
}

}  // namespace srcextract
