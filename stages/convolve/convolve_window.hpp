#pragma once

#include <cstdint>
#include <vector>

#include "stages/convolve/kernel.hpp"

namespace srcextract {

/// The rows under a kernel on the host: as wide as a piece of the image and the kernel's reach on both sides. Sums over
/// them are rounded as in stages/convolve/convolve.hpp.
class ConvolutionWindow {
 public:
  /// The number of result rows made at once: a term that they share is loaded once.
  static constexpr int rows_at_once = 4;

  /// Keeps a reference to `kernel`. `width` is that of the piece.
  ConvolutionWindow(const Kernel& kernel, std::int64_t width);

  /// The number of terms in a row: width + kernel.width - 1.
  std::int64_t stride() const { return stride_; }

  /// The number of rows under the kernel while rows_at_once rows are made.
  int kept_rows() const { return kernel_.height + rows_at_once - 1; }

  /// Moves the kernel on by a row, whose stride() terms are given.
  void move_on(const float* terms);

  /// The sums of weight * term at the kernel's places after the last `count` moves, `width` sums each. `count` is at
  /// most rows_at_once. All rows under the kernel at these places must have been given.
  void sum(int count, float* sums);

 private:
  void sum_along_x(const float* terms, const float* weights, int count, float* sums);

  const Kernel& kernel_;
  std::int64_t width_;
  std::int64_t stride_;
  std::int64_t moves_ = 0;
  std::vector<float> rows_;  ///< for a separable kernel already summed along x
  std::vector<float> row_sums_;
  std::vector<const float*> under_, shifted_;  ///< the rows under the kernel, and one row shifted by each kernel column
};

}  // namespace srcextract
