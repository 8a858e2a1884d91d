#pragma once

#include "stages/core/image.hpp"

namespace srcextract::python {

/// Pixels of somebody else as an image, to which nobody may write; whoever has them keeps them as long as it is used.
template <class T, class Where>
Image<T, Where> view_of(const T* pixels, const Shape& shape, const Where& where) {
  Image<T, Where> image;
  image.shape = shape;
  image.pixels = Buffer<T, Where>::borrowed(const_cast<T*>(pixels), shape.count(), where);
  return image;
}

}  // namespace srcextract::python
