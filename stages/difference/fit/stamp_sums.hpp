#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/kernel_basis.hpp"

namespace srcextract {

/// The normal equations of one stamp (a square of pixels around a star): for every pair of columns, the weighted sum of
/// their product over the pixels. The columns are the frame to convolve, filtered by each function of the basis; then
/// 1; then the other frame. A pixel's weight is 1 / (sum of both frames' variances). The weight is 0 if the pixel is
/// bad (masked or saturated) in the other frame, or near a bad pixel of the frame to convolve. The weight is also 0 if
/// the kernel at the pixel reaches beyond an edge of the frame.
struct StampSums {
  int columns = 0;
  double pixels = 0;             ///< number of pixels with a weight above 0
  std::vector<double> products;  ///< products of columns i and j >= i, row by row

  /// Returns the products of column i with itself and with all later columns.
  const double* products_from(int i) const { return products.data() + std::int64_t{i} * (2 * columns - i + 1) / 2; }
  double product(int i, int j) const { return products_from(std::min(i, j))[std::abs(i - j)]; }
  int data() const { return columns - 1; }  ///< index of the column of the other frame
  int sky() const { return columns - 2; }   ///< index of the column of ones
};

/// The frames of a fit: `from` is convolved to match `to`.
struct FramePair {
  const LevelledFrame& from;
  const LevelledFrame& to;
};

/// Computes the sums of every stamp, a square of 2 half + 1 pixels.
///
/// Columns are in float. Rows of a stamp are padded to a multiple of 16 pixels, and pixel x of a row is added to
/// partial sum x mod 16. Each partial sum is a chain of fmaf down the rows; the 16 partial sums are added in double.
/// The relative error of about 1e-7 is small compared with the constant (1e-5) by which solve_over_field() increases
/// the diagonal.
std::vector<StampSums> sum_stamps(const FramePair& frames, const std::vector<Stamp>& stamps, int half,
                                  const KernelBasis& basis, const Cpu& where);

}  // namespace srcextract
