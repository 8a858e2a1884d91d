#pragma once

#include <algorithm>
#include <cstdint>

#include "python/core/interrupt.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {

/// The largest of the values, but at least 0.
inline double largest_of(const Values<double>& values) {
  double largest = 0;
  for (const double value : span_of(values)) largest = value > largest ? value : largest;
  return largest;
}

/// Number of apertures between two checks for Ctrl-C. `reach` is the greatest radius in pixels.
inline std::int64_t apertures_per_piece(double reach) {
  constexpr double most_pixels = 1 << 20, most_apertures = 64;
  const double pixels = std::max(4 * reach * reach, 1.0);  // 1 also if reach is NaN
  return static_cast<std::int64_t>(std::clamp(most_pixels / pixels, 1.0, most_apertures));
}

/// Prefetches the pixels around the position of a later aperture, within `reach` or 16 pixels.
inline void prefetch_about(const SepPlane& pixels, const Shape& shape, double x, double y, double reach) {
  constexpr double furthest = 16;
  constexpr std::int64_t line = 64;
  const SepBox box = sep_box(x, y, std::min(reach, furthest), std::min(reach, furthest), shape);
  if (box.empty()) return;
  const std::int64_t size = pixels.pixel_size(), bytes = box.width() * size;
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const char* const first = static_cast<const char*>(pixels.first) + (row * shape.width + box.x_begin) * size;
    for (std::int64_t at = 0; at < bytes; at += line) __builtin_prefetch(first + at);
    __builtin_prefetch(first + bytes - 1);
  }
}

/// Measures the apertures at the positions x, y in parallel, without the GIL; Ctrl-C stops the work. Calls
/// measure(worker, i) for aperture i. Each worker is made from the image, and used by one thread at a time. `reach` is
/// the greatest radius in pixels. `x` and `y` are Values or Results.
template <class Worker, class Positions, class Measure>
void for_each_aperture(const SepImage& image, const Positions& x, const Positions& y, double reach, int threads,
                       const Measure& measure) {
  constexpr double wide = 512;  // with a greater reach, this thread may wait long for apertures of other threads
  constexpr std::int64_t ahead = 3;
  const auto& run = reach > wide ? do_interruptibly : do_watchfully;
  run([&] {
    const auto count = static_cast<std::int64_t>(x.shape(0));
    parallel_for(count, apertures_per_piece(reach), Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
      Worker worker(image);
      for (std::int64_t i = begin; i < end; ++i) {
        if (i + ahead < end) prefetch_about(image.pixels, image.shape, x.data()[i + ahead], y.data()[i + ahead], reach);
        measure(worker, static_cast<std::size_t>(i));
      }
    });
  });
}

}  // namespace srcextract::python
