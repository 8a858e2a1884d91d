#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

// Computes the limit of a source: how far it stands out over its threshold, as in SExtractor's CLEAN (mthresh). The
// height of a pixel is its value above the threshold. The limit is roughly the height of the m-th brightest pixel,
// where m is detection.min_area. SExtractor keeps the brightest pixels in a heap. But its rule for sinking differs from
// that of a heap, and it forgets pixel m + 1. Both quirks are reproduced here, since they decide which sources are
// absorbed. Pixels are counted from 1 in SExtractor's order (stages/clean/pixel_order.hpp). The limit is 0 for fewer
// than m pixels, and the height of the first pixel for m pixels.

/// The largest m for which limit_in_closed_form() serves; limit_by_heap() serves larger ones.
inline constexpr std::int64_t most_in_closed_form = 5;

/// The largest heights so far, in ascending order. The caller sets `count`, at most 3, and the first `count` heights;
/// replace_least() leaves `count` as it is.
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

/// Returns the limit of a source of count > m pixels, for 1 <= m <= most_in_closed_form. height_of(i) is the height of
/// pixel i + 1. For m >= 3 the limit is the third largest of these heights: the 3 lowest of the first m pixels, and all
/// pixels from m + 2 on. For m below 3 it is the m-th largest of all pixels but pixel m + 1.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_in_closed_form(std::int64_t count, int m, const Height& height_of) {
  float first[most_in_closed_form];
  for (int i = 0; i < m; ++i) {  // sorts the first m heights, ascending
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

/// If `height` is larger than the root heap[0], replaces the root, and sinks it as SExtractor does. After exchanging
/// two elements SExtractor goes on from the element after the exchanged one, unlike in a correct heap.
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

/// Returns the limit for any m below `count`. `heap` must have the heights of the first m pixels, ascending; it is
/// overwritten.
template <class Height>
SRCEXTRACT_HOST_DEVICE float limit_by_heap(std::int64_t count, std::int64_t m, const Height& height_of, float* heap) {
  for (std::int64_t i = m + 1; i < count; ++i) sink_in_heap(height_of(i), m, heap);
  return heap[0];
}

}  // namespace srcextract
