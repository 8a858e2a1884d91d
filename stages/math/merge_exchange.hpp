#pragma once

#include <bit>

namespace srcextract {

/// Enumerates the comparisons of a sorting network: Batcher's merge exchange (Knuth, The Art of Computer Programming,
/// volume 3, 5.2.2, algorithm M). Calls exchange(low, high), low < high, for every pair of the `keys` keys to be put in
/// order, one after the other.
template <class Exchange>
constexpr void merge_exchange(int keys, Exchange&& exchange) {
  if (keys < 2) return;
  const auto half = static_cast<int>(std::bit_ceil(static_cast<unsigned int>(keys)) / 2);
  for (int p = half; p > 0; p /= 2) {
    int distance = p;
    int parity = 0;
    for (int q = half; q >= p; q /= 2) {
      for (int i = 0; i + distance < keys; ++i) {
        if ((i & p) == parity) exchange(i, i + distance);
      }
      distance = q - p;
      parity = p;
    }
  }
}

}  // namespace srcextract
