#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace srcextract {

/// Standard deviation of a normal distribution divided by its median absolute deviation.
inline constexpr double sigma_per_deviation = 1.4826;

/// Returns the value of rank floor(size * share) in ascending order, where rank 0 is the smallest value. `share` must
/// be in [0, 1). Reorders the values, of which there must be at least one.
template <class T>
T ranked(std::vector<T>& values, double share) {
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<double>(values.size()) * share);
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

/// Returns the median; if the number of values is even, the greater of the two middle values. Reorders the values.
template <class T>
T upper_median(std::vector<T>& values) {
  return ranked(values, 0.5);
}

/// Returns the median; if the number of values is even, the smaller of the two middle values. Reorders the values.
template <class T>
T lower_median(std::vector<T>& values) {
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Returns the mean of the values without the lowest and the highest twentieth. Of whole numbers it changes as evenly
/// as their mean does, while their median is one of them. Sorts the values, of which there must be at least one.
inline double trimmed_mean(std::vector<float>& values) {
  constexpr std::size_t parts = 20;
  std::ranges::sort(values);
  const std::size_t cut = values.size() / parts;
  double sum = 0;
  for (std::size_t i = cut; i < values.size() - cut; ++i) sum += static_cast<double>(values[i]);
  return sum / static_cast<double>(values.size() - 2 * cut);
}

/// Returns the median absolute deviation from `middle`. Replaces the values by their deviations.
template <class T>
T median_deviation(std::vector<T>& values, T middle) {
  for (T& value : values) value = std::abs(value - middle);
  return upper_median(values);
}

}  // namespace srcextract
