#pragma once

#include <cstdint>
#include <vector>

#include "stages/convolve/kernel.hpp"

namespace srcextract {

/// Convolves the rows of a part of an image on the host, moving the kernel down row by row. An input row has the pixels
/// of the part, plus the pixels that the kernel reaches on both sides. Sums are rounded as convolve.hpp says.
class ConvolutionWindow {
 public:
  /// Number of result rows that are computed together, so that an input value is loaded once for several results.
  static constexpr int rows_at_once = 4;

  /// Keeps a reference to `kernel`. `width` is the number of result columns.
  ConvolutionWindow(const Kernel& kernel, std::int64_t width);

  /// Number of values in an input row: width + kernel.width - 1.
  std::int64_t stride() const { return stride_; }

  /// Number of input rows in memory, as many as rows_at_once result rows need.
  int kept_rows() const { return kernel_.height + rows_at_once - 1; }

  /// Adds the next input row, of stride() values, and removes the oldest.
  void move_on(const float* terms);

  /// Computes result rows for the last `count` positions of the kernel. A position is the kernel with its last row on
  /// an input row. Writes `width` values per result row. `count` is at most rows_at_once. move_on() must have been
  /// called for all input rows under the kernel at these positions.
  void sum(int count, float* sums);

 private:
  void sum_along_x(const float* terms, const float* weights, int count, float* sums);

  const Kernel& kernel_;
  std::int64_t width_;
  std::int64_t stride_;
  std::int64_t moves_ = 0;
  std::vector<float> rows_;  ///< input rows; for a separable kernel, their sums along x
  std::vector<float> row_sums_;
  /// input rows under the kernel; an input row shifted by 0, 1, 2 ... columns
  std::vector<const float*> under_, shifted_;
};

}  // namespace srcextract
