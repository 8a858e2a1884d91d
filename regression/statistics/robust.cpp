#include "regression/statistics/robust.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

namespace srcextract {
namespace {

constexpr double trimmed_share = 0.2;  // from either end, as in Yuen (1974)

/// The number of sigma above which a normal distribution has the probability `tail`.
double sigma_of_tail(double tail) {
  if (tail < 1e-299) return certain;
  if (tail >= 0.5) return 0;
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
}

/// The value of rank `rank`, from 0. Reorders the values so that this value has the index `rank`, after smaller and
/// before larger values.
double pick(std::span<double> values, std::size_t rank) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

}  // namespace

double median_of(std::span<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t middle = values.size() / 2;
  const double upper = pick(values, middle);
  if (values.size() % 2 == 1) return upper;
  const double lower = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return lower + (upper - lower) / 2;
}

double scatter_of(std::span<double> values, double centre) {
  for (double& value : values) value = std::abs(value - centre);
  return 1.4826 * median_of(values);
}

double wide_scatter_of(std::span<double> values, double centre) {
  const double scatter = scatter_of(values, centre);
  if (values.empty()) return scatter;
  constexpr double ninety_percent = 1.6449;  // this quantile of |x| for a normal distribution of standard deviation 1
  return std::max(scatter, pick(values, values.size() * 9 / 10) / ninety_percent);
}

Location trimmed_location(std::span<double> values) {
  Location location;
  location.count = static_cast<std::int64_t>(values.size());
  if (values.empty()) return location;
  const std::size_t cut = static_cast<std::size_t>(trimmed_share * static_cast<double>(values.size()));
  const double low = pick(values, cut);
  const double high = pick(values.subspan(cut), values.size() - 1 - 2 * cut);
  const std::span<double> kept = values.subspan(cut, values.size() - 2 * cut);

  // Subtracts the lowest kept value before summing, so that the variance of equal values is exactly 0.
  const double n = static_cast<double>(values.size());
  const double h = static_cast<double>(kept.size());
  double sum = 0, squares = 0;
  for (double value : kept) {
    sum += value - low;
    squares += (value - low) * (value - low);
  }
  location.mean = low + sum / h;
  if (values.size() < 2) return location;
  const double winsorised_sum = sum + static_cast<double>(cut) * (high - low);
  const double winsorised_squares = squares + static_cast<double>(cut) * (high - low) * (high - low);
  const double variance = std::max(0.0, winsorised_squares - winsorised_sum * winsorised_sum / n);  // times n - 1
  location.error = std::sqrt(variance / (h * (h - 1)));
  if (location.mean != 0)
    location.significance = location.error > 0 ? sigma_of_t(location.mean / location.error, h - 1) : certain;
  return location;
}

double sigma_of_t(double t, double degrees) {
  if (!std::isfinite(t)) return certain;
  return sigma_of_tail(boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::abs(t))));
}

double sigma_of_count(std::int64_t hits, std::int64_t trials, double p) {
  if (hits <= 0 || p >= 1) return 0;
  if (p <= 0) return certain;
  const double h = static_cast<double>(hits);
  return sigma_of_tail(boost::math::ibeta(h, static_cast<double>(trials) - h + 1, p));
}

}  // namespace srcextract
