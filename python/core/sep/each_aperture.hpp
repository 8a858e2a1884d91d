#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "python/core/interrupt.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract::python {

/// So many apertures a thread measures at a time that Ctrl-C need not wait: none reaches further than so many pixels.
inline std::int64_t apertures_per_piece(double reach) {
  constexpr double most_pixels = 1 << 20, most_apertures = 64;
  const double pixels = std::max(4 * reach * reach, 1.0);  // not a number: 1
  return static_cast<std::int64_t>(std::clamp(most_pixels / pixels, 1.0, most_apertures));
}

/// Has the pixels about a place brought near that an aperture is soon to look at, as far as `reach`, or as many as it
/// is worth it.
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

/// Measures apertures about those places without the GIL, so that Ctrl-C ends it: make(pixels) returns what measures
/// the ith of them. `reach`: as of apertures_per_piece().
template <class Make>
void for_each_aperture(const SepImage& image, std::span<const double> x, std::span<const double> y, double reach,
                       int threads, const Make& make) {
  constexpr double wide = 512;  // this thread may have to wait long for another's
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
