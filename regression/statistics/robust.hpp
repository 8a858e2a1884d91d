#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace srcextract {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// Largest significance, in sigma, that any test returns; the probability of 37 sigma is below 1e-298.
inline constexpr double certain = 37;

/// The median: for an even number of values, the mean of the middle two. NaN without values. Reorders the values.
double median_of(std::span<double> values);

/// 1.4826 times the median absolute deviation from `centre`: an estimate of the standard deviation, exact for a normal
/// distribution. Overwrites the values.
double scatter_of(std::span<double> values, double centre);

/// The larger of scatter_of() and the scatter by the 90 % quantile of the absolute deviations. For a mixture of precise
/// and imprecise values, the result is the scatter of the imprecise values. Overwrites the values.
double wide_scatter_of(std::span<double> values, double centre);

/// A mean that is robust against outliers, with the standard error of the mean.
struct Location {
  double mean = 0;
  double error = 0;
  /// Significance of the mean's difference from 0, in sigma (sigma_of_t). In trimmed_location(), `certain` if the
  /// middle three fifths of the values are equal and not 0.
  double significance = 0;
  std::int64_t count = 0;
};

/// The mean of the middle three fifths of the values, with the error from the winsorised variance (Yuen 1974,
/// Biometrika 61, 165). Reorders the values. The significance is 0 for fewer than two values.
Location trimmed_location(std::span<double> values);

/// The significance of Student's |t| with this many degrees of freedom: the number of sigma that has the same two-sided
/// probability for a normal distribution. At most `certain`.
double sigma_of_t(double t, double degrees);

/// The significance, in sigma, of `hits` or more successes in `trials` trials with probability `p`. 0 if that many
/// successes are as likely as not.
double sigma_of_count(std::int64_t hits, std::int64_t trials, double p);

}  // namespace srcextract
