#pragma once

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The order of the sums over a source, part of the specification: a sequence is added left to right in groups of
/// `fold_group`; the sums of the groups are added the same way; and so on until one is left. It keeps rounding small
/// and lets a source of any size be summed in parallel with the same result.
inline constexpr int fold_group = 64;

/// Adds a sequence in that order as it comes. T has add(T& to, const T& from).
template <class T>
class Fold {
 public:
  SRCEXTRACT_HOST_DEVICE void push(const T& value) { push_at(0, value); }

  /// The sum; at least one value must have been pushed.
  SRCEXTRACT_HOST_DEVICE T total() {
    for (int level = 0; level + 1 < levels; ++level) {
      if (count_[level] == 0) continue;
      count_[level] = 0;  // a group that is not full: the last of its level
      push_at(level + 1, sum_[level]);
    }
    return sum_[levels - 1];
  }

 private:
  /// 64^6 pixels and more.
  static constexpr int levels = 7;

  SRCEXTRACT_HOST_DEVICE void push_at(int level, T value) {
    for (; level < levels; ++level) {
      if (count_[level] == 0) {
        sum_[level] = value;
      } else {
        add(sum_[level], value);
      }
      if (++count_[level] < fold_group || level + 1 == levels) return;
      count_[level] = 0;
      value = sum_[level];
    }
  }

  T sum_[levels];
  int count_[levels] = {};
};

}  // namespace srcextract
