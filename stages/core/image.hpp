#pragma once

#include <cstdint>
#include <memory>

#include "stages/core/buffer.hpp"

namespace srcextract {

/// Size of an image in pixels. The pixel in column x of row y has index y * width + x, as in FITS. All three count from
/// 0.
struct Shape {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t count() const { return width * height; }
  bool operator==(const Shape&) const = default;
};

class RowsOnDemand;

/// The pixels of an image in the memory of `Where`. A float pixel that is NaN is masked: no statistic uses the pixel
/// and no source contains it. In an image from `ingest`, no pixel is infinite, and every NaN is
/// std::numeric_limits<float>::quiet_NaN().
template <class T, class Where>
struct Image {
  Image() = default;
  Image(Shape size, const Where& where) : shape(size), pixels(size.count(), where) {}

  Shape shape;
  Buffer<T, Where> pixels;
  /// Not null if the image is on the host and only some rows are in memory. A function must then hold rows (HeldRows)
  /// while it reads them.
  std::shared_ptr<RowsOnDemand> rows = nullptr;
};

/// Whether the image has no pixels, or those of its shape.
template <class T, class Where>
bool has_its_pixels(const Image<T, Where>& image) {
  return image.pixels.empty() || image.pixels.size() == image.shape.count();
}

/// Whether both images have pixels, as many and in the same shape.
template <class T, class U, class Where>
bool are_alike(const Image<T, Where>& a, const Image<U, Where>& b) {
  return a.shape == b.shape && has_its_pixels(a) && has_its_pixels(b);
}

}  // namespace srcextract
