#pragma once

#include <algorithm>
#include <cstdint>

#include "python/core/interrupt.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {

/// The largest value, at least 0.
inline double largest_of(const Values<double>& values) {
  double largest = 0;
  for (const double value : span_of(values)) largest = value > largest ? value : largest;
  return largest;
}

/// Number of apertures measured between two checks for Ctrl-C; `reach` is the greatest radius in pixels.
inline std::int64_t apertures_per_piece(double reach) {
  constexpr double most_pixels = 1 << 20, most_apertures = 64;
  const double pixels = std::max(4 * reach * reach, 1.0);  // also 1 for NaN
  return static_cast<std::int64_t>(std::clamp(most_pixels / pixels, 1.0, most_apertures));
}

/// Prefetches the pixels around a position, up to `reach` or 16 pixels away, for an aperture that is measured soon.
template <class T>
void prefetch_about(const T* pixels, const Shape& shape, double x, double y, double reach) {
  constexpr double furthest = 16;
  constexpr std::int64_t line = 64 / sizeof(T);
  const SepBox box = sep_box(x, y, std::min(reach, furthest), std::min(reach, furthest), shape);
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const T* const first = pixels + row * shape.width;
    for (std::int64_t column = box.x_begin; column < box.x_end; column += line) __builtin_prefetch(first + column);
    if (box.x_begin < box.x_end) __builtin_prefetch(first + box.x_end - 1);
  }
}

/// Measures apertures at these positions without the GIL; Ctrl-C ends it. measure(pixels, i) measures aperture i.
/// `reach` is the greatest radius in pixels. `x` and `y` are Values or Results.
template <class Positions, class Measure>
void for_each_aperture(const SepImage& image, const Positions& x, const Positions& y, double reach, int threads,
                       const Measure& measure) {
  constexpr double wide = 512;  // beyond this reach, this thread may wait long for another's work
  constexpr std::int64_t ahead = 3;
  const auto& run = reach > wide ? do_interruptibly : do_watchfully;
  run([&] {
    image.pixels.with_type([&](const auto* pixels) {
      const auto count = static_cast<std::int64_t>(x.shape(0));
      parallel_for(count, apertures_per_piece(reach), Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (i + ahead < end) prefetch_about(pixels, image.shape, x.data()[i + ahead], y.data()[i + ahead], reach);
          measure(pixels, static_cast<std::size_t>(i));
        }
      });
    });
  });
}

}  // namespace srcextract::python
