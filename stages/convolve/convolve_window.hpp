#pragma once

#include <cstdint>
#include <vector>

#include "stages/convolve/kernel.hpp"

namespace srcextract {

/// Sums over the rows under a kernel, on the host. Rows are as wide as a piece of the image plus the kernel's reach on
/// both sides. Sums are rounded as in stages/convolve/convolve.hpp.
class ConvolutionWindow {
 public:
  /// Number of result rows computed at once, so that a term which they share is loaded once.
  static constexpr int rows_at_once = 4;

  /// Keeps a reference to `kernel`. `width` is the number of columns of the piece.
  ConvolutionWindow(const Kernel& kernel, std::int64_t width);

  /// Number of terms in a row: width + kernel.width - 1.
  std::int64_t stride() const { return stride_; }

  /// Number of input rows that are kept while rows_at_once result rows are computed.
  int kept_rows() const { return kernel_.height + rows_at_once - 1; }

  /// Appends the next row under the kernel, which has stride() terms.
  void move_on(const float* terms);

  /// Computes weight * term summed over the kernel, at its positions after each of the last `count` moves, `width` sums
  /// each. `count` is at most rows_at_once. All rows under the kernel at these positions must have been given.
  void sum(int count, float* sums);

 private:
  void sum_along_x(const float* terms, const float* weights, int count, float* sums);

  const Kernel& kernel_;
  std::int64_t width_;
  std::int64_t stride_;
  std::int64_t moves_ = 0;
  std::vector<float> rows_;  ///< input rows; for a separable kernel, already summed along x
  std::vector<float> row_sums_;
  std::vector<const float*> under_, shifted_;  ///< rows under the kernel; one row shifted by each kernel column
};

}  // namespace srcextract
