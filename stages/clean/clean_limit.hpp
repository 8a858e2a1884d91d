#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// What a source stands out with over its threshold, as SExtractor's CLEAN has it (mthresh): the height of the m-th
// brightest of its pixels, m being detection.min_area. But SExtractor keeps the brightest in a heap into which new ones
// sink by a rule that is not a heap's, and forgets pixel m + 1; and so does this, for which sources are eaten depends
// on it. Pixels are counted from 1 in SExtractor's order (stages/clean/pixel_order.hpp). Of fewer than m pixels it is
// 0, of m that of the first.

/// Up to this m there is a closed form.
inline constexpr std::int64_t most_in_closed_form = 5;

/// Keeps the largest of what comes, ascending, by insertion: `count` of them, at most 3.
struct Largest {
  float value[3];
  int count = 0;

  SRCEXTRACT_HOST_DEVICE void replace_least(float height) {
    if (!(height > value[0])) return;
    int i = 0;
    for (; i + 1 < count && value[i + 1] < height; ++i) value[i] = value[i + 1];
    value[i] = height;
  }
};

/// The limit of count > m pixels, of which height_of(i) is that of pixel i + 1, for 1 <= m <= most_in_closed_form: the
/// third of the largest among the 3 lowest of the first m and those from pixel m + 2 on; for m below 3 the m-th largest
/// of all but pixel m + 1.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_in_closed_form(std::int64_t count, int m, const Height& height_of) {
  float first[most_in_closed_form];
  for (int i = 0; i < m; ++i) {  // ascending
    const float height = height_of(i);
    int place = i;
    for (; place > 0 && first[place - 1] > height; --place) first[place] = first[place - 1];
    first[place] = height;
  }
  Largest largest;
  largest.count = m < 3 ? m : 3;
  for (int i = 0; i < largest.count; ++i) largest.value[i] = first[i];
  for (std::int64_t i = m + 1; i < count; ++i) largest.replace_least(height_of(i));
  return largest.value[0];
}

/// Puts what is higher than the root, heap[0], in its place, and has it sink as SExtractor does: whose step down from
/// element j goes on from the place after the one that it has exchanged it with.
SRCEXTRACT_HOST_DEVICE inline void sink_in_heap(float height, std::int64_t m, float* heap) {
  if (!(height > heap[0])) return;
  heap[0] = height;
  std::int64_t j = 0;
  for (std::int64_t k = 2; k <= m; k = 2 * (j + 1)) {
    if (k != m && heap[k - 1] > heap[k]) ++k;
    if (heap[j] <= heap[k - 1]) return;
    const float lower = heap[j];
    heap[j] = heap[k - 1];
    heap[k - 1] = lower;
    j = k;
  }
}

/// The same for any m; `heap` has the heights of the first m, ascending.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_by_heap(std::int64_t count, std::int64_t m, const Height& height_of, float* heap) {
  for (std::int64_t i = m + 1; i < count; ++i) sink_in_heap(height_of(i), m, heap);
  return heap[0];
}

}  // namespace srcextract
