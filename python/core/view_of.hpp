#pragma once

#include "stages/core/image.hpp"

namespace srcextract::python {

/// A read-only view of pixels as an image. The caller keeps the pixels alive.
template <class T, class Where>
Image<T, Where> view_of(const T* pixels, const Shape& shape, const Where& where) {
  Image<T, Where> image;
  image.shape = shape;
  image.pixels = Buffer<T, Where>::borrowed(const_cast<T*>(pixels), shape.count(), where);
  return image;
}

}  // namespace srcextract::python
