#pragma once

#include <cstdint>
#include <vector>

#include "stages/convolve/kernel.hpp"

namespace srcextract {

/// The rows that a kernel lies over on the host, a piece of the image wide and as far as it reaches beyond. Sums over
/// it are rounded as stages/convolve/convolve.hpp says.
class ConvolutionWindow {
 public:
  /// So many rows of the result are made at once: a term that they share is loaded once.
  static constexpr int rows_at_once = 4;

  /// `kernel` is kept by reference. `width`: of the piece.
  ConvolutionWindow(const Kernel& kernel, std::int64_t width);

  /// How many terms a row has: width + kernel.width - 1.
  std::int64_t stride() const { return stride_; }

  /// As many as the kernel lies over while rows_at_once rows are made.
  int kept_rows() const { return kernel_.height + rows_at_once - 1; }

  /// The kernel moves on by a row, onto this one of stride() terms.
  void move_on(const float* terms);

  /// The sums of weight * term where the kernel was after each of the last `count` moves, at most rows_at_once: `width`
  /// of them each. It lay over rows alone that were given by then.
  void sum(int count, float* sums);

 private:
  void sum_along_x(const float* terms, const float* weights, int count, float* sums);

  const Kernel& kernel_;
  std::int64_t width_;
  std::int64_t stride_;
  std::int64_t moves_ = 0;
  std::vector<float> rows_;  ///< for a separable kernel already added up along x
  std::vector<float> row_sums_;
  std::vector<const float*> under_, shifted_;  ///< the rows under the kernel, and one of them by each of its columns
};

}  // namespace srcextract
