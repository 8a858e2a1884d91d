#pragma once

#include <cstdint>

#include "stages/clean/clean_limit.hpp"
#include "stages/clean/shared_stretches.hpp"
#include "stages/deblend/core_shape.hpp"
#include "stages/detect/detection_levels.hpp"

namespace srcextract {

/// Step that computes the size of each source's heap for limit_by_heap(): min_area heights. Used if min_area exceeds
/// most_in_closed_form.
struct SharedHeaps {
  SRCEXTRACT_STEP(measure)

  const SourceSums* sums;
  std::int64_t min_area;
  std::uint32_t* size;

  SRCEXTRACT_HOST_DEVICE void measure(std::int64_t source) const {
    size[source] = sums[source].npix > min_area ? static_cast<std::uint32_t>(min_area) : 0;
  }
};

/// Computes the limit of every source (clean_limit.hpp) from its stretches (shared_stretches.hpp). If min_area exceeds
/// most_in_closed_form, all stretches must be sorted. Otherwise the first min_area + 1 stretches of each source must be
/// found. `noise.at(x, y)` is called only if `varies` is true.
template <class Noise>
struct SharedLimits {
  /// The largest heights that one lane (a thread of several that process a source together) has found.
  struct Part {
    Largest largest;

    SRCEXTRACT_HOST_DEVICE void join(const Part& other) {
      for (int i = 0; i < other.largest.count; ++i) largest.replace_least(other.largest.value[i]);
    }
  };

  SharedStretches stretches;
  const SourceSums* sums;
  const float* found;
  const Levels* levels;
  Noise noise;
  bool varies;
  std::int64_t min_area;
  const std::uint32_t* heap_begin;  ///< per source: index in `heaps` of the first element of its heap
  float* heaps;
  float* limits;

  /// Searches a share of a source's stretches for the largest heights. Lane 0 takes the first min_area + 1 stretches.
  /// All `lanes` lanes divide the other stretches among them.
  SRCEXTRACT_HOST_DEVICE Part part(std::int64_t source, int lane, int lanes) const {
    Part own;
    own.largest.count = min_area < 3 ? static_cast<int>(min_area) : 3;
    for (float& value : own.largest.value) value = -std::numeric_limits<float>::infinity();
    if (min_area > most_in_closed_form || sums[source].npix <= min_area) return own;
    const unsigned long long last = first_of(source, min_area);
    if (lane == 0) take_first(source, own.largest);
    const std::int64_t end = stretches.begin[source + 1];
    for (std::int64_t at = std::int64_t{stretches.begin[source]} + lane; at < end; at += lanes) {
      if (stretches.place[at] <= last) continue;
      const PixelStretch& stretch = stretches.stretch_at(stretches.place[at]);
      for (std::int32_t i = 0; i < stretch.length; ++i) own.largest.replace_least(height_of(stretch, i));
    }
    return own;
  }

  SRCEXTRACT_HOST_DEVICE void finish(std::int64_t source, const Part& part) const {
    const std::int64_t pixels = sums[source].npix;
    if (pixels < min_area) {
      limits[source] = 0;
    } else if (pixels == min_area) {
      limits[source] = first_height(source);
    } else {
      limits[source] = min_area <= most_in_closed_form ? part.largest.value[0] : by_heap(source);
    }
  }

 private:
  /// The key (SharedStretches::place_of) of stretch k, from 0, of a source in SExtractor's order, for k up to min_area.
  /// SharedStretches::none if the source has fewer stretches.
  SRCEXTRACT_HOST_DEVICE unsigned long long first_of(std::int64_t source, std::int64_t k) const {
    return stretches.first[k * stretches.source_room + source];
  }

  SRCEXTRACT_HOST_DEVICE float first_height(std::int64_t source) const {
    if (stretches.begin[source] == stretches.begin[source + 1]) return 0;
    if (min_area > most_in_closed_form) return height_of(stretches.stretch[stretches.begin[source]], 0);
    return height_of(stretches.stretch_at(first_of(source, 0)), 0);
  }

  /// Adds the pixels of the first stretches to `largest`: the lowest of the first min_area pixels, then all pixels from
  /// number min_area + 2 on. Pixel min_area + 1 is skipped, as in SExtractor.
  SRCEXTRACT_HOST_DEVICE void take_first(std::int64_t source, Largest& largest) const {
    float first[most_in_closed_form] = {};
    for_each_first(source, [&](std::int64_t pixel, const PixelStretch& stretch, std::int32_t i) {
      if (pixel < min_area) first[pixel] = height_of(stretch, i);
    });
    sort_ascending(first, min_area);
    for (int i = 0; i < largest.count; ++i) largest.value[i] = first[i];
    for_each_first(source, [&](std::int64_t pixel, const PixelStretch& stretch, std::int32_t i) {
      if (pixel > min_area) largest.replace_least(height_of(stretch, i));
    });
  }

  /// Calls body(pixel, stretch, i) for each pixel i of the first stretches. `pixel` is the index of the pixel in the
  /// source, from 0.
  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_first(std::int64_t source, const Body& body) const {
    std::int64_t pixel = 0;
    for (std::int64_t k = 0; k <= min_area && first_of(source, k) != SharedStretches::none; ++k) {
      const PixelStretch& stretch = stretches.stretch_at(first_of(source, k));
      for (std::int32_t i = 0; i < stretch.length; ++i) body(pixel++, stretch, i);
    }
  }

  /// The value of pixel i of a stretch minus its threshold, computed as heights_above() does (pixel_thresholds.hpp).
  SRCEXTRACT_HOST_DEVICE float height_of(const PixelStretch& stretch, std::int32_t i) const {
    const std::int64_t pixel = stretch.first + static_cast<std::int64_t>(i);
    const double background = levels->background;
    double threshold = levels->detection;
    if (varies) {
      const std::int64_t width = stretches.islands.shape.width, y = pixel / width;
      threshold = static_cast<double>(level_above_noise(*levels, noise.at(pixel - y * width, y)));
    }
    return above_level(static_cast<double>(found[pixel]), background) - above_level(threshold, background);
  }

  /// Sorts `count` values in ascending order by heap sort.
  SRCEXTRACT_HOST_DEVICE static void sort(float* values, std::int64_t count) {
    const auto sink = [&](std::int64_t at, std::int64_t end) {
      for (std::int64_t child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && values[child] < values[child + 1]) ++child;
        if (!(values[at] < values[child])) return;
        const float lower = values[at];
        values[at] = values[child];
        values[child] = lower;
      }
    };
    for (std::int64_t at = count / 2 - 1; at >= 0; --at) sink(at, count);
    for (std::int64_t end = count - 1; end > 0; --end) {
      const float largest = values[0];
      values[0] = values[end];
      values[end] = largest;
      sink(0, end);
    }
  }

  SRCEXTRACT_HOST_DEVICE float by_heap(std::int64_t source) const {
    float* const heap = heaps + heap_begin[source];
    const std::int64_t end = stretches.begin[source + 1];
    std::int64_t pixel = 0;
    for (std::int64_t at = stretches.begin[source]; at < end; ++at) {
      const PixelStretch& stretch = stretches.stretch[at];
      for (std::int32_t i = 0; i < stretch.length; ++i, ++pixel) {
        const float height = height_of(stretch, i);
        if (pixel < min_area) heap[pixel] = height;
        if (pixel == min_area) sort(heap, min_area);
        if (pixel > min_area) sink_in_heap(height, min_area, heap);
      }
    }
    return heap[0];
  }
};

}  // namespace srcextract
