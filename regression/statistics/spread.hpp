#pragma once

#include <span>
#include <vector>

#include "regression/statistics/robust.hpp"

namespace srcextract {

/// A median, and 1.4826 times the median absolute deviation from the median.
struct Spread {
  double median = not_known, scatter = not_known;
};

/// The spread of the values that are not NaN; NaN if there are none. Reads the values several times, but copies only a
/// few values.
Spread spread_of(std::span<const double> values, int threads);

/// The median of the values that are not NaN.
double median_of(std::span<const double> values, int threads);

/// The values without NaN, in ascending order.
std::vector<double> sorted(std::span<const double> values, int threads);

}  // namespace srcextract
