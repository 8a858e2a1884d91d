#pragma once

#include <span>
#include <vector>

#include "regression/statistics/robust.hpp"

namespace srcextract {

/// A median, and 1.4826 times the median distance from it.
struct Spread {
  double median = not_known, scatter = not_known;
};

/// That of the values that are not NaN; NaN if there are none. Of millions a few are copied, and none is moved.
Spread spread_of(std::span<const double> values, int threads);

/// The median alone.
double median_of(std::span<const double> values, int threads);

/// Without NaN, in ascending order.
std::vector<double> sorted(std::span<const double> values, int threads);

}  // namespace srcextract
