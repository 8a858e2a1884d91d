#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// The limit of a source in SExtractor's CLEAN (mthresh there): how far the source exceeds its threshold. The height of
// a pixel is its value minus its threshold. With m = detection.min_area, the limit is roughly the height of the m-th
// brightest pixel.
//
// SExtractor keeps the m largest heights in a heap, with two errors: the rule for moving an element down the heap is
// wrong, and pixel m + 1 is skipped. The functions here reproduce both errors, since the limit decides which sources
// are absorbed. Pixels are counted from 1 in SExtractor's order (pixel_order.hpp).
//
// The limit is 0 for fewer than m pixels, and the height of the first pixel for exactly m pixels.

/// The largest m that limit_in_closed_form() accepts. For larger m, limit_by_heap() computes the limit.
inline constexpr std::int64_t most_in_closed_form = 5;

/// The `count` largest of the heights seen so far, in ascending order. The caller sets `count` (at most 3) and the
/// initial heights.
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

SRCEXTRACT_HOST_DEVICE inline void sort_ascending(float* values, std::int64_t count) {
  for (std::int64_t i = 1; i < count; ++i) {
    const float value = values[i];
    std::int64_t place = i;
    for (; place > 0 && values[place - 1] > value; --place) values[place] = values[place - 1];
    values[place] = value;
  }
}

/// Returns the limit of a source with count > m pixels, for m from 1 to most_in_closed_form. height_of(i) is the height
/// of pixel i + 1. For m >= 3, the limit is the third largest height in a set of pixels: the 3 lowest of the first m
/// pixels, and all pixels from m + 2 on. For m < 3, the limit is the m-th largest height of all pixels except pixel m +
/// 1.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_in_closed_form(std::int64_t count, int m, const Height& height_of) {
  float first[most_in_closed_form];
  for (int i = 0; i < m; ++i) first[i] = height_of(i);
  sort_ascending(first, m);
  Largest largest;
  largest.count = m < 3 ? m : 3;
  for (int i = 0; i < largest.count; ++i) largest.value[i] = first[i];
  for (std::int64_t i = m + 1; i < count; ++i) largest.replace_least(height_of(i));
  return largest.value[0];
}

/// Replaces the root heap[0] by `height` if `height` is larger, and moves `height` down the heap as SExtractor does.
/// After an exchange, SExtractor continues from the element behind the exchanged element. A correct heap would continue
/// from the exchanged element.
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

/// Returns the limit for any m below `count`. On entry, `heap` contains the heights of the first m pixels in ascending
/// order; the function overwrites the heap.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_by_heap(std::int64_t count, std::int64_t m, const Height& height_of, float* heap) {
  for (std::int64_t i = m + 1; i < count; ++i) sink_in_heap(height_of(i), m, heap);
  return heap[0];
}

}  // namespace srcextract
