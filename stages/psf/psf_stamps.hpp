#pragma once

#include <cstdint>
#include <vector>

#include "stages/math/psf_model.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// The square of pixels about a star, and how each of its pixels is made of a plane's (lanczos_taps, as where the PSF
/// is used). Pixels stand column by column.
class PsfWindow {
 public:
  /// `half` pixels on each side of the pixel that has (x, y), counted from 0.
  PsfWindow(const PsfSurface& surface, double x, double y, int half);

  /// Moves the star, and not the square.
  void move(const PsfSurface& surface, double x, double y);

  std::int64_t left() const { return left_; }
  std::int64_t top() const { return top_; }
  int size() const { return size_; }
  std::size_t pixels() const { return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_); }

  /// The pixels that a plane makes.
  void draw(const double* plane, std::vector<double>& pixels) const;

  /// Adds to the plane what is transposed to draw(): each pixel of the plane gets what the pixels have, by its share in
  /// them. With `squared` shares, what the plane's pixels count in a sum of squares.
  void spread(const std::vector<double>& pixels, double* plane, bool squared = false) const;

 private:
  struct Axis {
    std::vector<int> first;      ///< pixel of the plane; -1: the plane does not cover the pixel
    std::vector<double> weight;  ///< PsfModel::taps for each pixel
  };
  static void place(const PsfSurface& surface, std::int64_t begin, double at, int size, Axis& axis);

  std::int64_t left_, top_;
  int size_, side_;
  Axis x_, y_;
};

}  // namespace srcextract
