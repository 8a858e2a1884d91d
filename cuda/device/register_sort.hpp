#pragma once

#include <array>
#include <cstdint>

#include "stages/math/merge_exchange.hpp"

namespace srcextract {

struct Comparator {
  int low;
  int high;
};

/// Returns the comparators of merge_exchange(), a sorting network, for `keys` keys, in order of execution.
template <int keys>
constexpr auto comparators_of() {
  constexpr int needed = [] {
    int comparators = 0;
    merge_exchange(keys, [&](int, int) { ++comparators; });
    return comparators;
  }();
  std::array<Comparator, needed> comparators{};
  int next = 0;
  merge_exchange(keys, [&](int low, int high) { comparators[next++] = {low, high}; });
  return comparators;
}

/// Sorts the keys of one thread in ascending order. Every index is a compile-time constant, so the keys stay in
/// registers. The compiler drops comparisons that do not affect the keys that the caller uses.
template <int count>
__device__ void sort_in_registers(std::int32_t (&keys)[count]) {
  constexpr auto comparators = comparators_of<count>();
#pragma unroll
  for (int i = 0; i < static_cast<int>(comparators.size()); ++i) {
    std::int32_t& low = keys[comparators[i].low];
    std::int32_t& high = keys[comparators[i].high];
    const std::int32_t smaller = min(low, high);
    high = max(low, high);
    low = smaller;
  }
}

}  // namespace srcextract
