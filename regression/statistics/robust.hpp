#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace srcextract {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Largest number of sigma in any test: a probability below 1e-300.
inline constexpr double certain = 37;

/// The median (for an even number of values, the mean of the middle two); NaN without values. Reorders the values.
double median_of(std::span<double> values);

/// 1.4826 times the median distance from `centre`: the standard deviation for normal values. Overwrites the values.
double scatter_of(std::span<double> values, double centre);

/// scatter_of(), or the scatter implied by the 90 % quantile of the distances if that is larger. For a mixture of
/// precise and imprecise values it is the scatter of the imprecise ones. Overwrites the values.
double wide_scatter_of(std::span<double> values, double centre);

/// A mean that is robust against outliers, and its uncertainty.
struct Location {
  double mean = 0;   ///< trimmed mean
  double error = 0;  ///< standard error of the mean
  double significance =
      0;  ///< significance of the mean's distance from 0, from sigma_of_t(); `certain` if all values are equal and not
          ///< 0
  std::int64_t count = 0;
};

/// The mean of the middle three fifths, with its error from the winsorised variance (Yuen 1974, Biometrika 61, 165).
/// Reorders the values. Fewer than two values have no significance.
Location trimmed_location(std::span<double> values);

/// Significance of Student's |t|: the number of sigma at which a normal value is as rare, two-sided. At most `certain`.
double sigma_of_t(double t, double degrees);

/// Significance, on the upper side, of `hits` or more successes in `trials` trials of probability p. The result is 0
/// for an outcome at least as likely as not.
double sigma_of_count(std::int64_t hits, std::int64_t trials, double p);

}  // namespace srcextract
