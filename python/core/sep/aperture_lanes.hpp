#pragma once

#include "python/core/sep/aperture_rows.hpp"

// Loops over the 8 pixels of a block are written on plain arrays. GCC splits vector types into scalars before GCC
// clones a function for each instruction set. VECTOR_LOOP prevents unrolling, after which GCC would use no vector
// instructions.
#if defined(__GNUC__) && !defined(__clang__)
#define VECTOR_LOOP _Pragma("GCC unroll 1")
#else
#define VECTOR_LOOP
#endif

namespace srcextract::python {

inline constexpr int lanes = BandOfRows::block;

inline constexpr double places[lanes] = {0, 1, 2, 3, 4, 5, 6, 7};

/// A partial sum for each pixel of a block. A block is `lanes` adjacent pixels of a row.
struct Lanes {
  double of[lanes] = {};

  double folded() const { return ((of[0] + of[4]) + (of[2] + of[6])) + ((of[1] + of[5]) + (of[3] + of[7])); }
};

/// Calls f(index in the band's arrays, row of the band, first column in the box) for all blocks that the aperture
/// reaches.
template <class F>
inline __attribute__((always_inline)) void for_each_block(const BandOfRows& band, const F& f) {
  for (std::int64_t row = 0; row < band.rows(); ++row)
    for (std::int64_t column = band.begin[row]; column < band.end[row]; column += lanes)
      f(row * band.stride + column, row, column);
}

/// The offset of the centre of a band's first pixel from the centre of an ellipse. A band is a few rows of the
/// aperture's box.
struct Offset {
  double left, top;

  Offset(const BandOfRows& band, const SepEllipse& at)
      : left(static_cast<double>(band.box.x_begin) - at.x), top(static_cast<double>(band.box.y_begin) - at.y) {}

  /// Sets `dx` to the x offsets of a block's pixels from the centre of the ellipse; returns the y offset.
  inline __attribute__((always_inline)) double of(std::int64_t row, std::int64_t column, double (&dx)[lanes]) const {
    const double first = left + static_cast<double>(column);
    VECTOR_LOOP for (int k = 0; k < lanes; ++k) dx[k] = first + places[k];
    return top + static_cast<double>(row);
  }
};

/// Enlarges `values` to at least `size` elements; keeps the present elements.
template <class T>
void grow(std::vector<T>& values, std::int64_t size) {
  if (std::ssize(values) < size) values.resize(static_cast<std::size_t>(size));
}

}  // namespace srcextract::python
