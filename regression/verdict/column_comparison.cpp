#include "regression/verdict/column_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "regression/columns/known_columns.hpp"
#include "regression/statistics/robust.hpp"
#include "regression/statistics/trend.hpp"
#include "regression/verdict/concentration.hpp"

namespace srcextract {
namespace {

constexpr std::size_t offenders_kept = 10;

/// In [-period / 2, period / 2].
double wrapped(double difference, double period) {
  return std::remainder(difference, period);
}

/// 0 / 0 of two values that are equal.
double ratio(double difference, double scale) {
  return difference == 0 ? 0 : difference / scale;
}

bool equal(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

/// Angles without a common direction have a resultant of about 1 / sqrt(n); one this much longer is chance once in a
/// hundred million times (Rayleigh's test).
constexpr double clear_direction = 18;

/// Position angles that differ by about 90 degrees differ by +90 as often as by -90: puts all of them within 90 degrees
/// of the direction that they have in common, if they have one, so that they have a mean.
void unwrap_angles(std::vector<double>& differences) {
  constexpr double degree = std::numbers::pi / 180;
  double sine = 0, cosine = 0, count = 0;
  for (double difference : differences) {
    if (std::isnan(difference)) continue;
    sine += std::sin(2 * difference * degree);
    cosine += std::cos(2 * difference * degree);
    ++count;
  }
  if (!(sine * sine + cosine * cosine > clear_direction * count)) return;
  const double centre = std::atan2(sine, cosine) / 2 / degree;
  for (double& difference : differences) difference = centre + wrapped(difference - centre, 180);
}

/// Of the pairs that are looked at.
Location location_of(std::span<const double> difference, const Division& division) {
  std::vector<double> values;
  for (std::int64_t i : division.looked_at) {
    const double value = difference[static_cast<std::size_t>(i)];
    if (!std::isnan(value)) values.push_back(value);
  }
  return trimmed_location(values);
}

Spread spread_of(const PairedColumn& column, Difference difference) {
  std::vector<double> values;
  values.reserve(column.reference.size());
  for (std::size_t i = 0; i < column.reference.size(); ++i) {
    const double value = difference_of(column, i, difference);
    if (!std::isnan(value)) values.push_back(value);
  }
  Spread spread;
  spread.median = median_of(values);
  spread.scatter = scatter_of(values, spread.median);
  return spread;
}

/// Median and scatter in each bin of brightness: what a row is an outlier against. Sources as bright are not all as
/// precise: the angle of a round one scatters much more than that of a long one.
std::vector<Spread> spreads_by_brightness(std::span<const double> difference, const Division& field) {
  std::vector<std::vector<double>> sorted(field.brightness.count());
  for (std::int64_t i : field.looked_at) {
    const std::size_t pair = static_cast<std::size_t>(i);
    if (!std::isnan(difference[pair])) sorted[field.brightness.of_pair[pair]].push_back(difference[pair]);
  }
  std::vector<Spread> spreads;
  for (std::vector<double>& values : sorted) {
    Spread spread;
    spread.median = median_of(values);
    spread.scatter = wide_scatter_of(values, spread.median);
    spreads.push_back(spread);
  }
  return spreads;
}

void count_values(ColumnComparison& result, const PairedColumn& column) {
  for (std::size_t i = 0; i < column.reference.size(); ++i) {
    const bool in_reference = !std::isnan(column.reference[i]);
    const bool in_new = !std::isnan(column.other[i]);
    result.pairs += in_reference && in_new;
    result.values_lost += in_reference && !in_new;
    result.values_gained += in_new && !in_reference;
    if (in_reference && !in_new && result.rows_without_value.size() < offenders_kept)
      result.rows_without_value.push_back(static_cast<std::int64_t>(i));
  }
}

struct Far {
  std::size_t pair;
  double distance;
};

/// Keeps the farthest, of equals the first.
void keep_farthest(std::vector<Far>& farthest, Far candidate) {
  if (farthest.size() == offenders_kept && candidate.distance <= farthest.back().distance) return;
  const auto place = std::upper_bound(farthest.begin(), farthest.end(), candidate,
                                      [](const Far& a, const Far& b) { return a.distance > b.distance; });
  farthest.insert(place, candidate);
  if (farthest.size() > offenders_kept) farthest.pop_back();
}

void find_outliers(ColumnComparison& result, const PairedColumn& column, std::span<const double> difference,
                   const Pairs& pairs, double outlier) {
  const bool counted = column.rule->difference == Difference::equal;
  const std::vector<Spread> spreads = counted ? std::vector<Spread>() : spreads_by_brightness(difference, pairs.field);
  std::vector<Far> outliers, others;
  Sample sample;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    if (std::isnan(difference[i]) || (counted && difference[i] == 0)) continue;
    const Spread around = counted ? Spread{0, 0} : spreads[pairs.field.brightness.of_pair[i]];
    const double distance = std::isnan(around.median) ? 0 : std::abs(difference[i] - around.median);
    const bool far = distance > std::max(column.rule->tolerance, outlier * around.scatter);
    result.outliers += far;
    if (far) {
      sample.x.push_back(pairs.x[i]);
      sample.y.push_back(pairs.y[i]);
      sample.brightness.push_back(pairs.brightness.empty() ? not_known : pairs.brightness[i]);
    }
    if (distance > 0) keep_farthest(far ? outliers : others, {i, distance});
  }
  result.outliers_are = in_common(sample, pairs.sorted_brightness, pairs.field, pairs.frame);
  for (const Far& far : outliers.empty() ? others : outliers) {
    result.worst.push_back({pairs.matches.reference[far.pair] + 1, pairs.matches.other[far.pair] + 1, pairs.x[far.pair],
                            pairs.y[far.pair], column.reference[far.pair], column.other[far.pair],
                            difference[far.pair]});
  }
}

void find_trends(ColumnComparison& result, std::span<const double> difference, const Pairs& pairs, double least,
                 double sigma) {
  const Division& field = pairs.field;
  const auto along = [&](const PairBins& bins) {
    return locations_in(difference, field.looked_at, bins.of_pair, bins.count());
  };
  const std::vector<Location> by_brightness = along(field.brightness);
  result.with_flux = fit_trend(field.brightness, by_brightness);
  const Location weighted = weighted_location(field.brightness, by_brightness);
  if (weighted.significance > result.location.significance) result.location = weighted;
  result.bright_end = find_bright_end(field.brightness, by_brightness);
  result.with_x = fit_trend(field.x, along(field.x));
  result.with_y = fit_trend(field.y, along(field.y));
  const std::vector<Location> by_cell = locations_in(difference, field.looked_at, field.cell, field.side * field.side);
  result.cells = find_cells(field, by_cell, least, sigma);
}

}  // namespace

double difference_of(const PairedColumn& column, std::size_t pair, Difference difference) {
  const double reference = column.reference[pair], other = column.other[pair];
  switch (difference) {
    case Difference::angle:
      return wrapped(other - reference, 180);
    case Difference::equal:
      return std::isnan(other - reference) ? not_known : static_cast<double>(other != reference);
    case Difference::relative:
      return ratio(other - reference, (std::abs(other) + std::abs(reference)) / 2);
    case Difference::sigma:
      if (column.reference_error.empty()) return not_known;
      return ratio(other - reference, std::hypot(column.reference_error[pair], column.new_error[pair]));
    case Difference::absolute:
    case Difference::ignore:
      break;
  }
  if (column.cos_declination.empty()) return other - reference;
  return wrapped(other - reference, 360) * column.cos_declination[pair];
}

ColumnComparison compare_column(const PairedColumn& column, const Pairs& pairs, double outlier, double sigma) {
  ColumnComparison result;
  result.name = column.name;
  result.unit = column.unit;
  result.difference = column.rule->difference;
  count_values(result, column);
  if (equal(column.reference, column.other)) {  // most often, between two runs of one program
    result.absolute = result.relative = {0, 0};
    if (!column.reference_error.empty()) result.in_sigma = {0, 0};
    return result;
  }
  const bool angle = is_position_angle(column.name);
  result.absolute = spread_of(column, angle ? Difference::angle : Difference::absolute);
  result.relative = spread_of(column, Difference::relative);
  if (!column.reference_error.empty()) result.in_sigma = spread_of(column, Difference::sigma);

  std::vector<double> difference(column.reference.size());
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = difference_of(column, i, result.difference);
  if (result.difference == Difference::angle) unwrap_angles(difference);
  result.location = location_of(difference, pairs.field);
  find_outliers(result, column, difference, pairs, outlier);
  if (result.difference != Difference::equal) find_trends(result, difference, pairs, column.rule->bias, sigma);
  return result;
}

}  // namespace srcextract
