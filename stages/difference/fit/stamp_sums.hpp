#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/kernel_basis.hpp"

namespace srcextract {

/// For every pair of columns, the weighted sum of their product over the pixels of a stamp. The columns are the frame
/// filtered by each function of the basis, then 1, then the other frame. The weight is 1 / (sum of both frames'
/// variances), and 0 at and near pixels that are bad in either frame.
struct StampSums {
  int columns = 0;
  double pixels = 0;             ///< number of pixels with a weight
  std::vector<double> products;  ///< the upper triangle (j >= i), row by row

  /// The products of column i with itself and all later ones.
  const double* products_from(int i) const { return products.data() + std::int64_t{i} * (2 * columns - i + 1) / 2; }
  double product(int i, int j) const { return products_from(std::min(i, j))[std::abs(i - j)]; }
  int data() const { return columns - 1; }  ///< the column of the other frame
  int sky() const { return columns - 2; }   ///< the column of 1
};

/// The frames of a fit: `from` is convolved to match `to`.
struct FramePair {
  const LevelledFrame& from;
  const LevelledFrame& to;
};

/// Computes the sums of every stamp, squares of 2 half + 1 pixels.
/// Columns are in float. Rows of a stamp are padded to a multiple of 16 pixels, and pixel x of a row is added to
/// partial sum x mod 16. A partial sum is a chain of fmaf down the rows; the 16 are added in double. An error of 1e-7
/// is small beside the ridge of the equations.
std::vector<StampSums> sum_stamps(const FramePair& frames, const std::vector<Stamp>& stamps, int half,
                                  const KernelBasis& basis, const Cpu& where);

}  // namespace srcextract
