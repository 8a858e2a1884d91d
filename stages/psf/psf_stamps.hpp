#pragma once

#include <cstdint>
#include <vector>

#include "stages/math/psf_model.hpp"
#include "stages/psf/psf_surface.hpp"

namespace srcextract {

/// The square of pixels about a star, with the weights by which each of its pixels is resampled from a plane
/// (lanczos_taps, as where the PSF is used). Pixels are stored column by column.
class PsfWindow {
 public:
  /// Takes the pixel that contains (x, y), counted from 0, and `half` pixels on each side.
  PsfWindow(const PsfSurface& surface, double x, double y, int half);

  /// Moves the star, and not the square.
  void move(const PsfSurface& surface, double x, double y);

  std::int64_t left() const { return left_; }
  std::int64_t top() const { return top_; }
  int size() const { return size_; }
  std::size_t pixels() const { return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_); }

  /// Resamples a plane to the window's pixels.
  void draw(const double* plane, std::vector<double>& pixels) const;

  /// The transpose of draw(): adds to each pixel of the plane the sum of `pixels` times its weights in them. With
  /// `squared`, weights are squared.
  void spread(const std::vector<double>& pixels, double* plane, bool squared = false) const;

 private:
  struct Axis {
    std::vector<int> first;      ///< first pixel of the plane under the taps; -1: outside of the plane
    std::vector<double> weight;  ///< PsfModel::taps for each pixel
  };
  static void place(const PsfSurface& surface, std::int64_t begin, double at, int size, Axis& axis);

  std::int64_t left_, top_;
  int size_, side_;
  Axis x_, y_;
};

}  // namespace srcextract
