#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Length of a group in sums over a source. The order of these sums is part of the specification:
/// - A sequence is added left to right in groups of `ordered_group`.
/// - The sums of the groups are added in the same way, and so on until one sum is left.
///
/// The order keeps rounding errors small. A source of any size can be summed in parallel with the same result.
inline constexpr int ordered_group = 64;

/// Adds a sequence, value by value, in the order of groups given above. T must have add(T& to, const T& from).
template <class T>
class OrderedSum {
 public:
  SRCEXTRACT_HOST_DEVICE void push(const T& value) { push_at(0, value); }

  /// Returns the sum of all values; at least one must have been pushed.
  SRCEXTRACT_HOST_DEVICE T total() {
    for (int level = 0; level + 1 < levels; ++level) {
      if (count_[level] == 0) continue;
      count_[level] = 0;  // the last group of its level, which is incomplete
      push_at(level + 1, sum_[level]);
    }
    return sum_[levels - 1];
  }

 private:
  /// Enough for 64^6 pixels and more.
  static constexpr int levels = 7;

  SRCEXTRACT_HOST_DEVICE void push_at(int level, T value) {
    for (; level < levels; ++level) {
      if (count_[level] == 0) {
        sum_[level] = value;
      } else {
        add(sum_[level], value);
      }
      if (++count_[level] < ordered_group || level + 1 == levels) return;
      count_[level] = 0;
      value = sum_[level];
    }
  }

  T sum_[levels];
  int count_[levels] = {};
};

/// Adds `count` >= 1 values in the order of groups given above. sum_group(first, last) must add the values from `first`
/// to last - 1, at most `ordered_group` of them, left to right. A sequence of one group, the usual case, costs one
/// call.
template <class T, class SumGroup>
SRCEXTRACT_HOST_DEVICE T ordered_sum(std::int64_t count, const SumGroup& sum_group) {
  if (count <= ordered_group) return sum_group(std::int64_t{0}, count);
  OrderedSum<T> sums;
  for (std::int64_t first = 0; first < count; first += ordered_group) {
    sums.push(sum_group(first, count - first < ordered_group ? count : first + ordered_group));
  }
  return sums.total();
}

}  // namespace srcextract
