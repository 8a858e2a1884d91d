#pragma once

#include <span>
#include <vector>

#include "regression/statistics/robust.hpp"

namespace srcextract {

/// A median, and 1.4826 times the median distance from it.
struct Spread {
  double median = not_known, scatter = not_known;
};

/// Spread of the values, ignoring NaN; NaN without values. Only a few of millions of values are copied, and none is
/// moved.
Spread spread_of(std::span<const double> values, int threads);

/// The median, ignoring NaN.
double median_of(std::span<const double> values, int threads);

/// The values without NaN, in ascending order.
std::vector<double> sorted(std::span<const double> values, int threads);

}  // namespace srcextract
