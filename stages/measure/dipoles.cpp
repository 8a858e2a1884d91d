#include "stages/measure/dipoles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace srcextract {
namespace {

constexpr ColumnKey<double> flux_psf{"FLUX_PSF"};
constexpr double reach_in_fwhm = 2.5, most_share = 0.65, least_square = 50;  // least_square is (5 sqrt 2)^2

/// The sources of a difference image (changes), and their row numbers sorted by y.
struct Changes {
  const std::vector<double>&x, &y;
  const std::vector<std::int16_t>& sign;
  std::vector<std::size_t> by_y;

  explicit Changes(const Sources& sources)
      : x(sources[columns::x_image]),
        y(sources[columns::y_image]),
        sign(sources[columns::sign]),
        by_y(static_cast<std::size_t>(sources.size())) {
    std::iota(by_y.begin(), by_y.end(), std::size_t{0});
    std::ranges::stable_sort(by_y, {}, [&](std::size_t row) { return y[row]; });
  }

  double distance(std::size_t one, std::size_t other) const {
    const double dx = x[one] - x[other], dy = y[one] - y[other];
    return std::sqrt(dx * dx + dy * dy);
  }

  /// Returns the row of the nearest change with the opposite sign, at most `reach` pixels away. If several are equally
  /// near, the first row is returned.
  std::optional<std::size_t> nearest(std::size_t row, double reach) const {
    std::optional<std::size_t> best;
    const auto height = [&](std::size_t other) { return y[other]; };
    for (auto at = std::ranges::lower_bound(by_y, y[row] - reach, {}, height);
         at != by_y.end() && y[*at] <= y[row] + reach; ++at) {
      if (sign[*at] == sign[row] || distance(row, *at) > reach) continue;
      if (!best || distance(row, *at) < distance(row, *best) ||
          (distance(row, *at) == distance(row, *best) && *at < *best))
        best = *at;
    }
    return best;
  }
};

}  // namespace

void add_dipoles(double fwhm, const ColumnChoice& choice, Sources& sources) {
  const Changes changes(sources);
  const std::vector<double>&of_pixels = sources[columns::flux_iso], &snr = sources[columns::snr];
  const std::vector<double>& of_star = sources.has(flux_psf) ? sources[flux_psf] : of_pixels;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double reach = reach_in_fwhm * fwhm;
  std::vector<Dipole> pairs(changes.by_y.size(), {none, none, 0});
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    const std::optional<std::size_t> other = changes.nearest(row, reach);
    if (!other || changes.nearest(*other, reach) != row) continue;
    const std::vector<double>& flux = of_star[row] > 0 && of_star[*other] > 0 ? of_star : of_pixels;
    const double share = std::max(flux[row], flux[*other]) / (flux[row] + flux[*other]);
    const bool bright = snr[row] * snr[row] + snr[*other] * snr[*other] > least_square;
    pairs[row] = {changes.distance(row, *other), share,
                  static_cast<std::int16_t>(bright && share < most_share ? 1 : 0)};
  }
  for (const ColumnOf<Dipole>& column : dipole_columns)
    if (choice.has(column.declared.column.name))
      add_column(column, CatalogPart::requested, sources, {},
                 [&](auto formula, std::size_t row) { return formula(pairs[row]); });
}

}  // namespace srcextract
