#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace srcextract {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// As many sigma as any test here speaks of: less probable than 1e-300.
inline constexpr double certain = 37;

/// The median of the values (of an even number, the mean of the middle two); NaN if there are none. Reorders them.
double median_of(std::span<double> values);

/// 1.4826 times the median distance from `centre`: the standard deviation of normal values. Overwrites them.
double scatter_of(std::span<double> values, double centre);

/// The same, or what the distance that nine in ten do not exceed says of it, if that is more: of a mixture of precise
/// and imprecise values, the scatter of the imprecise. Overwrites them.
double wide_scatter_of(std::span<double> values, double centre);

/// A location that outliers do not move, and how well it is known.
struct Location {
  double mean = 0;          ///< trimmed
  double error = 0;         ///< its standard error
  double significance = 0;  ///< of its distance from 0, as sigma_of_t() says; `certain` if all are equal and not 0
  std::int64_t count = 0;
};

/// The mean of the middle three fifths of the values and its error from their winsorised variance (Yuen 1974,
/// Biometrika 61, 165). Reorders them. Of fewer than two values nothing is significant.
Location trimmed_location(std::span<double> values);

/// How improbable Student's |t| with that many degrees of freedom is: the number of sigma beyond which a normal value
/// is as rarely found, on either side. At most `certain`.
double sigma_of_t(double t, double degrees);

/// The same for `hits` or more successes in so many trials of probability p, on that one side; 0 if they are no more
/// than half expected.
double sigma_of_count(std::int64_t hits, std::int64_t trials, double p);

}  // namespace srcextract
