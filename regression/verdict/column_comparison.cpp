#include "regression/verdict/column_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "regression/columns/known_columns.hpp"
#include "regression/statistics/pieces.hpp"
#include "regression/statistics/robust.hpp"
#include "regression/statistics/spread.hpp"
#include "regression/statistics/trend.hpp"
#include "regression/verdict/concentration.hpp"

namespace srcextract {
namespace {

constexpr std::size_t offenders_kept = 10;

/// difference / scale; 0 for a difference of 0, even if the scale is 0.
double ratio(double difference, double scale) {
  return difference == 0 ? 0 : difference / scale;
}

bool equal(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(),
                    [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

/// Threshold of Rayleigh's test for a common direction, for the squared length of the sum of unit vectors per angle.
/// Random directions exceed this threshold with a probability of 1e-8.
constexpr double clear_direction = 18;

/// Prepares differences of angles, which have a period of 180 degrees, for averaging: differences near 90 degrees may
/// occur as +90 or -90. Moves all differences to within 90 degrees of their common direction, if there is one.
void unwrap_angles(std::vector<double>& differences, int threads) {
  constexpr double degree = std::numbers::pi / 180;
  struct Sums {
    double sine = 0, cosine = 0, count = 0;
  };
  double sine = 0, cosine = 0, count = 0;
  for (const Sums& part :
       by_pieces<Sums>(differences.size(), threads, [&](std::size_t begin, std::size_t end, Sums&sums) {
         for (std::size_t i = begin; i < end; ++i) {
           if (std::isnan(differences[i])) continue;
           sums.sine += std::sin(2 * differences[i] * degree);
           sums.cosine += std::cos(2 * differences[i] * degree);
           ++sums.count;
         }
       })) {
    sine += part.sine;
    cosine += part.cosine;
    count += part.count;
  }
  if (!(sine * sine + cosine * cosine > clear_direction * count)) return;
  const double centre = std::atan2(sine, cosine) / 2 / degree;
  for_each_piece(differences.size(), threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) differences[i] = centre + std::remainder(differences[i] - centre, 180);
  });
}

/// The location (robust mean) of the differences of the pairs `looked_at`.
Location location_of(std::span<const double> difference, const Division& division) {
  std::vector<double> values;
  for (std::int64_t i : division.looked_at) {
    const double value = difference[static_cast<std::size_t>(i)];
    if (!std::isnan(value)) values.push_back(value);
  }
  return trimmed_location(values);
}

std::vector<double> differences_of(const PairedColumn& column, Difference difference, int threads) {
  return each_value(column.reference.size(), threads,
                    [&](std::size_t i) { return difference_of(column, i, difference); });
}

Spread spread_as(const PairedColumn& column, Difference difference, int threads) {
  return spread_of(differences_of(column, difference, threads), threads);
}

/// Median and scatter of the differences in each bin of brightness, by which outliers are recognised. Uses
/// wide_scatter_of(), since precision varies within a bin: the angle of a round source scatters much more than that of
/// a long source.
std::vector<Spread> spreads_by_brightness(std::span<const double> difference, const Division& field) {
  std::vector<std::vector<double>> sorted(field.brightness.count());
  for (std::int64_t i : field.looked_at) {
    const std::size_t pair = static_cast<std::size_t>(i);
    if (!std::isnan(difference[pair])) sorted[field.brightness.of_pair[pair]].push_back(difference[pair]);
  }
  std::vector<Spread> spreads;
  for (std::vector<double>& values : sorted) {
    const double median = median_of(values);
    spreads.push_back({median, wide_scatter_of(values, median)});
  }
  return spreads;
}

struct ValueCounts {
  std::int64_t pairs = 0, lost = 0, gained = 0;
  std::vector<std::int64_t> first_lost;
};

void count_values(ColumnComparison& result, const PairedColumn& column, int threads) {
  const auto count = [&](std::size_t begin, std::size_t end, ValueCounts& counts) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool in_reference = !std::isnan(column.reference[i]);
      const bool in_new = !std::isnan(column.other[i]);
      counts.pairs += in_reference && in_new;
      counts.lost += in_reference && !in_new;
      counts.gained += in_new && !in_reference;
      if (in_reference && !in_new && counts.first_lost.size() < offenders_kept)
        counts.first_lost.push_back(static_cast<std::int64_t>(i));
    }
  };
  for (const ValueCounts& counts : by_pieces<ValueCounts>(column.reference.size(), threads, count)) {
    result.pairs += counts.pairs;
    result.values_lost += counts.lost;
    result.values_gained += counts.gained;
    for (const std::int64_t row : counts.first_lost) {
      if (result.rows_without_value.size() < offenders_kept) result.rows_without_value.push_back(row);
    }
  }
}

struct Far {
  std::size_t pair;
  double distance;
};

/// Inserts a candidate into a list of at most offenders_kept pairs, sorted by descending distance. Of equal distances,
/// the first pair is kept.
void keep_farthest(std::vector<Far>& farthest, Far candidate) {
  if (farthest.size() == offenders_kept && candidate.distance <= farthest.back().distance) return;
  const auto place = std::upper_bound(farthest.begin(), farthest.end(), candidate,
                                      [](const Far& a, const Far& b) { return a.distance > b.distance; });
  farthest.insert(place, candidate);
  if (farthest.size() > offenders_kept) farthest.pop_back();
}

/// Results for one piece of the pairs: indices of outliers, which are far from pairs of similar brightness; the
/// farthest outliers; and the farthest other pairs.
struct Outliers {
  std::int64_t unequal = 0;  ///< as ColumnComparison::unequal
  std::vector<std::uint32_t> pairs;
  std::vector<Far> farthest, of_others;
};

Sample sample_of(const std::vector<Outliers>& found, const Pairs& pairs) {
  Sample sample;
  for (const Outliers& piece : found) {
    for (const std::uint32_t i : piece.pairs) {
      sample.x.push_back(pairs.x[i]);
      sample.y.push_back(pairs.y[i]);
      sample.brightness.push_back(pairs.brightness.empty() ? not_known : pairs.brightness[i]);
    }
  }
  return sample;
}

void find_outliers(ColumnComparison& result, const PairedColumn& column, std::span<const double> difference,
                   const std::vector<Spread>& spreads, const Pairs& pairs, double outlier) {
  const bool counted = column.rule->difference == Difference::equal;
  const bool in_errors = column.rule->difference == Difference::sigma && !column.reference_error.empty();
  const auto look = [&](std::size_t begin, std::size_t end, Outliers& found) {
    for (std::size_t i = begin; i < end; ++i) {
      const bool both_missing = std::isnan(column.reference[i]) && std::isnan(column.other[i]);
      found.unequal += both_missing || column.reference[i] == column.other[i] ? 0 : 1;
      // Values that differ, and have no error that tells by how many sigma, are as far apart as can be.
      if (std::isnan(difference[i]) && in_errors && std::abs(column.other[i] - column.reference[i]) > 0) {
        found.pairs.push_back(static_cast<std::uint32_t>(i));
        keep_farthest(found.farthest, {i, std::numeric_limits<double>::infinity()});
        continue;
      }
      if (std::isnan(difference[i]) || (counted && difference[i] == 0)) continue;
      const Spread around = counted ? Spread{0, 0} : spreads[pairs.field.brightness.of_pair[i]];
      const double distance = std::isnan(around.median) ? 0 : std::abs(difference[i] - around.median);
      const bool far = distance > std::max(column.rule->tolerance, outlier * around.scatter);
      if (far) found.pairs.push_back(static_cast<std::uint32_t>(i));  // match_sources() limits row numbers to 32 bits
      if (distance > 0) keep_farthest(far ? found.farthest : found.of_others, {i, distance});
    }
  };
  const std::vector<Outliers> found = by_pieces<Outliers>(difference.size(), pairs.threads, look);
  std::vector<Far> outliers, others;
  for (const Outliers& piece : found) {
    result.unequal += piece.unequal;
    result.outliers += std::ssize(piece.pairs);
    for (const Far& far : piece.farthest) keep_farthest(outliers, far);
    for (const Far& far : piece.of_others) keep_farthest(others, far);
  }
  result.outliers_are = in_common(sample_of(found, pairs), pairs.sorted_brightness, pairs.field, pairs.frame);
  for (const Far& far : outliers.empty() ? others : outliers) {
    result.worst.push_back({.reference_row = pairs.matches.reference[far.pair] + 1,
                            .new_row = pairs.matches.other[far.pair] + 1,
                            .x = pairs.x[far.pair],
                            .y = pairs.y[far.pair],
                            .reference = column.reference[far.pair],
                            .other = column.other[far.pair],
                            .difference = difference[far.pair]});
  }
}

/// Results from the pairs that are looked at.
struct Locations {
  Location of_all;
  std::vector<Spread> spreads;  ///< by bin of brightness
  std::vector<Location> by_brightness, by_x, by_y, by_cell;
};

/// Computes locations and spreads of a column's differences. With `counted` (Difference::equal), differences are 0 or
/// 1, so only the location of all is computed.
Locations locate(std::span<const double> difference, const Pairs& pairs, bool counted) {
  const Division& field = pairs.field;
  const auto along = [&](const PairBins& bins) {
    return locations_in(difference, field.looked_at, bins.of_pair, bins.count());
  };
  Locations found;
  const auto find = [&](std::int64_t what) {
    if (what == 0) found.of_all = location_of(difference, field);
    if (what == 1) found.spreads = spreads_by_brightness(difference, field);
    if (what == 2) found.by_brightness = along(field.brightness);
    if (what == 3) found.by_x = along(field.x);
    if (what == 4) found.by_y = along(field.y);
    if (what == 5) found.by_cell = locations_in(difference, field.looked_at, field.cell, field.side * field.side);
  };
  parallel_for(counted ? 1 : 6, 1, Cpu{pairs.threads}, [&](std::int64_t what, std::int64_t) { find(what); });
  return found;
}

void find_trends(ColumnComparison& result, const Locations& found, const Division& field, double least, double sigma) {
  result.with_flux = fit_trend(field.brightness, found.by_brightness);
  const Location weighted = weighted_location(field.brightness, found.by_brightness);
  if (weighted.significance > result.location.significance) result.location = weighted;
  result.bright_end = find_bright_end(field.brightness, found.by_brightness);
  result.with_x = fit_trend(field.x, found.by_x);
  result.with_y = fit_trend(field.y, found.by_y);
  result.cells = find_cells(field, found.by_cell, least, sigma);
}

}  // namespace

double difference_of(const PairedColumn& column, std::size_t pair, Difference difference) {
  const double reference = column.reference[pair], other = column.other[pair];
  double apart = other - reference;
  if (is_right_ascension(column.name)) apart = std::remainder(apart, 360);
  if (!column.cos_declination.empty()) apart *= column.cos_declination[pair];
  switch (difference) {
    case Difference::angle:
      return std::remainder(other - reference, 180);
    case Difference::equal:
      return std::isnan(other - reference) ? not_known : static_cast<double>(other != reference);
    case Difference::relative:
      return ratio(other - reference, (std::abs(other) + std::abs(reference)) / 2);
    case Difference::sigma:
      if (column.reference_error.empty()) return not_known;
      return ratio(apart, std::hypot(column.reference_error[pair], column.new_error[pair]));
    case Difference::absolute:
    case Difference::ignore:
      break;
  }
  return apart;
}

ColumnComparison compare_column(const PairedColumn& column, const Pairs& pairs, double outlier, double sigma) {
  ColumnComparison result;
  result.name = column.name;
  result.unit = column.unit;
  result.difference = column.rule->difference;
  const int threads = pairs.threads;
  count_values(result, column, threads);
  if (equal(column.reference, column.other)) {  // usual for two runs of the same program
    result.absolute = result.relative = {0, 0};
    if (!column.reference_error.empty()) result.in_sigma = {0, 0};
    return result;
  }
  const bool angle = is_position_angle(column.name);
  result.absolute = spread_as(column, angle ? Difference::angle : Difference::absolute, threads);
  result.relative = spread_as(column, Difference::relative, threads);
  if (!column.reference_error.empty()) result.in_sigma = spread_as(column, Difference::sigma, threads);

  std::vector<double> difference = differences_of(column, result.difference, threads);
  if (result.difference == Difference::angle) unwrap_angles(difference, threads);
  const bool counted = result.difference == Difference::equal;
  const Locations found = locate(difference, pairs, counted);
  result.location = found.of_all;
  find_outliers(result, column, difference, found.spreads, pairs, outlier);
  if (!counted) find_trends(result, found, pairs.field, column.rule->bias, sigma);
  return result;
}

}  // namespace srcextract
