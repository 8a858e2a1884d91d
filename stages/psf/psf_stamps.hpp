#pragma once

#include <cstdint>
#include <vector>

#include "stages/math/psf_model.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// The square of image pixels about a star, and the weights by which each pixel is resampled from a plane of the
/// PsfSurface (lanczos_taps(), as where the PSF is used). Pixels are stored column by column.
class PsfWindow {
 public:
  /// The square consists of the pixel that contains (x, y), in pixels from 0, and `half` pixels on each side.
  PsfWindow(const PsfSurface& surface, double x, double y, int half);

  /// Recomputes the weights for a new position of the star; the square stays where it is.
  void move(const PsfSurface& surface, double x, double y);

  std::int64_t left() const { return left_; }
  std::int64_t top() const { return top_; }
  int size() const { return size_; }
  std::size_t pixels() const { return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_); }

  /// Calls f(i, column, row) for the square's pixels in the order of storage, without the outermost
  /// `margin` columns and rows. i is the pixel's index in that order.
  template <class F>
  void for_each(const F& f, int margin = 0) const {
    for (int column = margin; column < size_ - margin; ++column)
      for (int row = margin; row < size_ - margin; ++row)
        f(static_cast<std::size_t>(column) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(row), column,
          row);
  }

  /// Resamples a plane to the square's pixels.
  void draw(const double* plane, std::vector<double>& pixels) const;

  /// The transpose of draw(): adds to each pixel of the plane the sum of `pixels`, each times the weight that the
  /// plane's pixel has in draw(). If `squared`, the weights are squared.
  void spread(const std::vector<double>& pixels, double* plane, bool squared = false) const;

 private:
  struct Axis {
    /// for each pixel of the square: first pixel of the plane that has a weight; -1 outside the plane
    std::vector<int> first;
    std::vector<double> weight;  ///< PsfModel::taps weights for each pixel of the square
  };
  static void place(const PsfSurface& surface, std::int64_t begin, double at, int size, Axis& axis);

  std::int64_t left_, top_;
  int size_, side_;
  Axis x_, y_;
};

}  // namespace srcextract
