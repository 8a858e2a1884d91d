#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Number of values in a group, when sums over the pixels of a source are computed. Host and GPU add in the same order:
/// - The values are split into groups of `ordered_group` consecutive values. Each group is added from left to right.
/// - The sums of the groups are again split into groups and added, and so on until one sum is left.
///
/// This order keeps rounding errors small. Several threads can sum a source of any size, and get the same result as one
/// thread.
inline constexpr int ordered_group = 64;

/// Adds a sequence, value by value, in the order of groups described at ordered_group. A function add(T& to, const T&
/// from) must exist.
template <class T>
class OrderedSum {
 public:
  SRCEXTRACT_HOST_DEVICE void push(const T& value) { push_at(0, value); }

  /// Returns the sum of all values; at least one must have been pushed.
  SRCEXTRACT_HOST_DEVICE T total() {
    for (int level = 0; level + 1 < levels; ++level) {
      if (count_[level] == 0) continue;
      count_[level] = 0;  // this level's last group, which is incomplete
      push_at(level + 1, sum_[level]);
    }
    return sum_[levels - 1];
  }

 private:
  /// Level 0 adds single values; level k adds sums of 64^k values each. Seven levels suffice for more than 64^6 pixels.
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

/// Adds `count` >= 1 values in the order of groups described at ordered_group. sum_group(first, last) must add the
/// values with indices first to last - 1, at most `ordered_group` values, from left to right. Most sequences have one
/// group; then one call of sum_group() is all the work.
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
