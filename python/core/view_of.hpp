#pragma once

#include "stages/core/runs.hpp"

namespace srcextract::python {

/// A view of elements, for reading only. The caller keeps the memory alive.
template <class T, class Where>
Buffer<T, Where> view_of(const T* elements, std::int64_t count, const Where& where) {
  return Buffer<T, Where>::borrowed(const_cast<T*>(elements), count, where);
}

template <class T, class Where>
Image<T, Where> view_of(const T* pixels, const Shape& shape, const Where& where) {
  Image<T, Where> image;
  image.shape = shape;
  image.pixels = view_of(pixels, shape.count(), where);
  return image;
}

template <class Where>
Runs<Where> view_of(const Runs<Where>& runs, const Where& where) {
  return {runs.shape, view_of(runs.runs.data(), runs.runs.size(), where),
          view_of(runs.row_begin.data(), runs.row_begin.size(), where)};
}

}  // namespace srcextract::python
