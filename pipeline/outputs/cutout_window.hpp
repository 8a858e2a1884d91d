#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "stages/catalogue/sources.hpp"
#include "stages/core/image.hpp"

namespace srcextract {

/// Column and row of a pixel, from 0.
struct PixelPlace {
  std::int64_t x, y;
};

/// The pixel, from 0, that contains the position X_IMAGE, Y_IMAGE of a catalogue row. If that position is outside the
/// image, the brightest pixel of the source.
inline PixelPlace central_pixel(const Sources& sources, std::size_t row, const Shape& shape) {
  const double x = sources[columns::x_image][row], y = sources[columns::y_image][row];
  const auto within = [](double position, std::int64_t size) {
    return position >= 0.5 && position < static_cast<double>(size) + 0.5;
  };
  if (!within(x, shape.width) || !within(y, shape.height))
    return {sources[columns::xpeak_image][row] - 1, sources[columns::ypeak_image][row] - 1};
  return {static_cast<std::int64_t>(x + 0.5) - 1, static_cast<std::int64_t>(y + 0.5) - 1};
}

/// The rectangle of the image that a cut-out covers, in pixels from 0.
struct CutoutWindow {
  std::int64_t left, top;  ///< first column and row of the cut-out, which may be outside the image
  /// Columns [x_begin, x_end) and rows [y_begin, y_end) of the cut-out that are inside the image.
  std::int64_t x_begin, x_end;
  std::int64_t y_begin, y_end;
};

inline CutoutWindow cutout_window(const PixelPlace& centre, int width, int height, const Shape& shape) {
  const std::int64_t left = centre.x - width / 2, top = centre.y - height / 2;
  const auto inside = [](std::int64_t place, std::int64_t most) { return std::clamp<std::int64_t>(place, 0, most); };
  return {.left = left,
          .top = top,
          .x_begin = inside(left, shape.width),
          .x_end = inside(left + width, shape.width),
          .y_begin = inside(top, shape.height),
          .y_end = inside(top + height, shape.height)};
}

}  // namespace srcextract
