#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// A box of pixels inside the image: columns x_begin to x_end - 1, rows y_begin to y_end - 1.
struct ApertureBox {
  std::int32_t x_begin, x_end, y_begin, y_end;
  bool cut;  ///< true if a part of the aperture is outside the image
};

/// Converts the edge of a box to a pixel index, truncated towards zero. The result is limited to the range -1 to size +
/// 1, where `size` is the image's width or height. NaN gives -1.
SRCEXTRACT_HOST_DEVICE inline std::int32_t box_edge(double edge, std::int32_t size) {
  if (!(edge > -1)) return -1;
  return edge >= size + 1.0 ? size + 1 : static_cast<std::int32_t>(edge);
}

/// Returns the part of a box that is inside an image of width x height pixels. Sets `cut` if the image's edge cuts the
/// box.
SRCEXTRACT_HOST_DEVICE inline ApertureBox box_within(double left, double right, double top, double bottom,
                                                     std::int32_t width, std::int32_t height) {
  const std::int32_t x_begin = box_edge(left, width), x_end = box_edge(right, width);
  const std::int32_t y_begin = box_edge(top, height), y_end = box_edge(bottom, height);
  ApertureBox box{x_begin > 0 ? x_begin : 0, x_end < width ? x_end : width, y_begin > 0 ? y_begin : 0,
                  y_end < height ? y_end : height, x_begin < 0 || y_begin < 0 || x_end > width || y_end > height};
  if (box.x_end < box.x_begin) box.x_end = box.x_begin;
  if (box.y_end < box.y_begin) box.y_end = box.y_begin;
  return box;
}

}  // namespace srcextract
