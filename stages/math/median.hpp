#pragma once

#include <algorithm>
#include <vector>

namespace srcextract {

/// The standard deviation of a normal distribution, of its median absolute deviation.
inline constexpr double sigma_per_deviation = 1.4826;

/// The value of rank size * share, which is less than size; reorders the values, of which there is at least one.
template <class T>
T ranked(std::vector<T>& values, double share) {
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * share);
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

/// The upper median: of an even number of values the greater of the two in the middle.
template <class T>
T upper_median(std::vector<T>& values) {
  return ranked(values, 0.5);
}

}  // namespace srcextract
