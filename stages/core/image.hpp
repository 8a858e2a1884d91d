#pragma once

#include <cstdint>
#include <memory>

#include "stages/core/buffer.hpp"

namespace srcextract {

/// Size of an image in pixels. Row y, column x is element y * width + x, as FITS stores it.
struct Shape {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t count() const { return width * height; }
  bool operator==(const Shape&) const = default;
};

class RowsOnDemand;

/// A plane of pixels in the memory of `Where`. A float pixel that is NaN is masked: it takes part in no statistic and
/// belongs to no source. An image from `ingest` holds no infinity and only the one NaN of std::numeric_limits.
template <class T, class Where>
struct Image {
  Image() = default;
  Image(Shape size, const Where& where) : shape(size), pixels(size.count(), where) {}

  Shape shape;
  Buffer<T, Where> pixels;
  /// Set for an image on the host that is not in memory as a whole: code that reads rows must hold them (HeldRows).
  std::shared_ptr<RowsOnDemand> rows = nullptr;
};

}  // namespace srcextract
