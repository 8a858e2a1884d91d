#pragma once

#include <bit>

namespace srcextract {

/// Enumerates the comparisons of Batcher's sorting network "merge exchange" (Knuth, The Art of Computer Programming,
/// volume 3, 5.2.2, algorithm M) for `keys` keys. Calls exchange(low, high), low < high, for each comparison in turn;
/// exchange() must put the keys at these two indices into order.
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
