#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "python/core/interrupt.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {

/// Number of apertures per piece of work, small enough for Ctrl-C; `reach` is the greatest radius in pixels.
inline std::int64_t apertures_per_piece(double reach) {
  constexpr double most_pixels = 1 << 20, most_apertures = 64;
  const double pixels = std::max(4 * reach * reach, 1.0);  // also 1 for NaN
  return static_cast<std::int64_t>(std::clamp(most_pixels / pixels, 1.0, most_apertures));
}

/// Prefetches the pixels around the position of a later aperture, up to `reach` or a useful limit.
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

/// Measures apertures at these positions without the GIL; Ctrl-C ends it. make(pixels) returns a function that measures
/// aperture i. `reach` is as in apertures_per_piece().
template <class Make>
void for_each_aperture(const SepImage& image, std::span<const double> x, std::span<const double> y, double reach,
                       int threads, const Make& make) {
  constexpr double wide = 512;  // this thread may then wait long for another's work
  constexpr std::int64_t ahead = 3;
  const auto& run = reach > wide ? do_interruptibly : do_watchfully;
  run([&] {
    image.pixels.with_type([&](const auto* pixels) {
      const auto measure = make(pixels);
      parallel_for(std::ssize(x), apertures_per_piece(reach), Cpu{threads}, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          if (const auto next = static_cast<std::size_t>(i + ahead); i + ahead < end)
            prefetch_about(pixels, image.shape, x[next], y[next], reach);
          measure(i);
        }
      });
    });
  });
}

}  // namespace srcextract::python
