#include "regression/matching/match_catalogs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

#include "regression/columns/known_columns.hpp"
#include "regression/statistics/robust.hpp"
#include "regression/statistics/spread.hpp"

namespace srcextract {
namespace {

/// Both catalogues count as measured on the same pixels if the positions of pairs scatter by less than this, in pixels
/// or degrees.
constexpr double same_pixels = 1e-3, same_pixels_sky = 3e-7;
/// The least number of pairs from which a common shift can be computed.
constexpr std::size_t least_for_shift = 3;
/// If the whole catalogue is shifted by more than this fraction of the radius, the shift is undone and the match
/// repeated.
constexpr double shift_that_matters = 0.05;
constexpr int shift_rounds = 5;
/// Number of brightest rows of each catalogue that are sorted; find_alignment() uses at most 200 with different
/// positions.
constexpr std::size_t brightest_kept = 10'000;
constexpr double well_matched = 0.5;

/// Standard errors of positions, from one column of errors, or from the mean of the variances in x and y.
std::vector<float> sigma_of_positions(const std::vector<std::vector<double>>& errors) {
  std::vector<float> sigma(errors.front().size());
  for (std::size_t i = 0; i < sigma.size(); ++i) {
    const double value = errors.size() == 1 ? errors[0][i] : std::sqrt((errors[0][i] + errors[1][i]) / 2);
    sigma[i] = static_cast<float>(value);
  }
  return sigma;
}

/// log10 of fluxes, or -0.4 times magnitudes; NaN for fluxes that are not positive.
std::vector<double> brightness_of(std::vector<double> values, bool magnitudes) {
  for (double& value : values) {
    if (magnitudes)
      value *= -0.4;
    else
      value = value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

/// Collects positions and brightness of all rows of one side; `read` returns the side's values of a shared column.
template <class Read>
PlacedRows place_rows(const PositionColumns& columns, std::optional<std::size_t> brightness,
                      const LoadedColumns& loaded, Read&& read) {
  PlacedRows rows;
  rows.positions.frame = columns.frame;
  rows.positions.x = read(columns.x);
  rows.positions.y = read(columns.y);
  std::vector<std::vector<double>> errors;
  for (std::size_t column : columns.errors) errors.push_back(read(column));
  if (!errors.empty()) rows.positions.sigma = sigma_of_positions(errors);
  if (brightness) rows.brightness = brightness_of(read(*brightness), is_magnitude(loaded.name(*brightness)));
  return rows;
}

/// Indices of the brightest rows, the brightest first; equally bright rows keep their order.
std::vector<std::int64_t> brightest_rows(const PlacedRows& side) {
  std::vector<std::int64_t> rows(side.positions.x.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const std::size_t kept = std::min(rows.size(), brightest_kept);
  if (!side.brightness.empty()) {
    const auto value = [&](std::int64_t row) {
      const double b = side.brightness[static_cast<std::size_t>(row)];
      return std::isnan(b) ? -std::numeric_limits<double>::infinity() : b;
    };
    std::partial_sort(
        rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end(),
        [&](std::int64_t a, std::int64_t b) { return std::pair(-value(a), a) < std::pair(-value(b), b); });
  }
  rows.resize(kept);
  return rows;
}

/// Differences of a coordinate between the rows of each pair. For right ascension: the shorter way around, multiplied
/// by cos(declination).
std::vector<double> position_offsets(const MatchedCatalogs& matched, std::vector<double> Positions::*coordinate) {
  const Positions& reference = matched.reference.positions;
  std::vector<double> result = offsets(reference.*coordinate, matched.other.positions.*coordinate, matched.matches);
  if (reference.frame == Frame::pixel || coordinate == &Positions::y) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double declination = reference.y[static_cast<std::size_t>(matched.matches.reference[i])];
    result[i] = std::remainder(result[i], 360) * std::cos(declination * std::numbers::pi / 180);
  }
  return result;
}

/// Subtracts the median shift of the matched sources from the other catalogue and matches again, at most 5 times, while
/// the shift exceeds 5 % of the radius. Without this step, sources that the shift moves beyond the radius would be
/// lost.
void follow_shift(MatchedCatalogs& matched, int threads) {
  // One or two pairs are always as far apart as their shift.
  if (matched.matches.reference.size() < least_for_shift) return;
  const Positions& reference = matched.reference.positions;
  Positions& other = matched.other.positions;
  for (int round = 0; round < shift_rounds; ++round) {
    const double shift_x = median_of(position_offsets(matched, &Positions::x), threads);
    const double shift_y = median_of(position_offsets(matched, &Positions::y), threads);
    if (!(std::hypot(shift_x, shift_y) > shift_that_matters * matched.columns.radius)) return;
    const bool sky = other.frame == Frame::sky;
    for (std::size_t i = 0; i < other.x.size(); ++i) {
      other.x[i] -= sky ? shift_x / std::cos(other.y[i] * std::numbers::pi / 180) : shift_x;
      other.y[i] -= shift_y;
    }
    matched.matches = match_sources(reference, other, matched.columns.radius, threads);
  }
}

/// Scales the brightness of the new catalogue to the reference's by the median ratio. Fluxes in different units then
/// have the same limit for faint sources.
void match_brightness(MatchedCatalogs& matched, int threads) {
  const double scale =
      median_of(offsets(matched.reference.brightness, matched.other.brightness, matched.matches), threads);
  if (std::isnan(scale)) return;
  for (double& value : matched.other.brightness) value -= scale;
}

MatchedCatalogs match_by(const PositionColumns& columns, std::optional<std::size_t> brightness,
                         const LoadedColumns& loaded, int threads) {
  MatchedCatalogs matched;
  matched.columns = columns;
  matched.reference =
      place_rows(columns, brightness, loaded, [&](std::size_t column) { return loaded.of_reference(column); });
  matched.other = place_rows(columns, brightness, loaded, [&](std::size_t column) { return loaded.of_new(column); });
  const Positions& reference = matched.reference.positions;
  Positions& other = matched.other.positions;
  matched.alignment = find_alignment(reference, brightest_rows(matched.reference), other, brightest_rows(matched.other),
                                     columns.radius, threads);
  if (matched.alignment.change != Change::none) other = undone(other, matched.alignment);
  matched.matches = match_sources(reference, other, columns.radius, threads);
  // Shifts are undone only if all pairs have the same radius. A radius in sigma differs from pair to pair.
  if (columns.errors.empty()) follow_shift(matched, threads);
  if (brightness) match_brightness(matched, threads);
  return matched;
}

}  // namespace

std::vector<std::int64_t> PlacedRows::nowhere() const {
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < positions.x.size(); ++i) {
    const bool known = positions.sigma.empty() || positions.sigma[i] >= 0;
    if (!(known && std::isfinite(positions.x[i] + positions.y[i]))) rows.push_back(static_cast<std::int64_t>(i));
  }
  return rows;
}

double MatchedCatalogs::share() const {
  const std::int64_t smaller = std::min(reference.positions.size(), other.positions.size());
  return static_cast<double>(matches.reference.size()) / static_cast<double>(std::max<std::int64_t>(smaller, 1));
}

MatchedCatalogs match_catalogs(const std::vector<PositionColumns>& choices, std::optional<std::size_t> brightness,
                               const LoadedColumns& loaded, int threads) {
  MatchedCatalogs best = match_by(choices.front(), brightness, loaded, threads);
  for (std::size_t i = 1; i < choices.size() && best.share() < well_matched; ++i) {
    MatchedCatalogs next = match_by(choices[i], brightness, loaded, threads);
    if (next.share() > best.share()) best = std::move(next);
  }
  return best;
}

std::vector<double> offsets(const std::vector<double>& reference, const std::vector<double>& other,
                            const Matches& matches) {
  std::vector<double> result(matches.reference.size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] =
        other[static_cast<std::size_t>(matches.other[i])] - reference[static_cast<std::size_t>(matches.reference[i])];
  return result;
}

bool is_same_image(const MatchedCatalogs& matched, int threads) {
  const std::size_t pairs = matched.matches.reference.size();
  if (pairs == 0) return false;
  const double limit = matched.columns.frame == Frame::pixel ? same_pixels : same_pixels_sky;
  for (const auto coordinate : {&Positions::x, &Positions::y}) {
    std::vector<double> offset = position_offsets(matched, coordinate);
    const double middle = pairs < least_for_shift ? 0 : median_of(std::vector<double>(offset), threads);
    // The wide scatter, since rounded positions of two images may be equal for more than half of the sources.
    if (!(wide_scatter_of(offset, middle) <= limit)) return false;
  }
  return true;
}

}  // namespace srcextract
