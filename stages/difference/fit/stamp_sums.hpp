#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/kernel_basis.hpp"

namespace srcextract {

/// Weighted sums over the pixels of a stamp, of products of its columns: what each function of the basis makes of the
/// frame that is convolved, then 1, then the other frame. The weights are 1 / (sum of both frames' variances), and 0
/// where either frame is bad.
struct StampSums {
  int columns = 0;
  double pixels = 0;             ///< with a weight
  std::vector<double> products;  ///< columns x columns, row by row; only those with j >= i are set

  double product(int i, int j) const {
    return products[static_cast<std::size_t>(i <= j ? i * columns + j : j * columns + i)];
  }
  int data() const { return columns - 1; }  ///< the column of the other frame
  int sky() const { return columns - 2; }   ///< the column of 1
};

/// The frames of a fit: `from` is convolved.
struct FramePair {
  const LevelledFrame& from;
  const LevelledFrame& to;
};

/// The sums of every stamp; stamps are squares of 2 half + 1 pixels. Every sum runs over the pixels in raster order, in
/// groups of 64 (stages/math/ordered_sum.hpp), in double.
std::vector<StampSums> sum_stamps(const FramePair& frames, const std::vector<Stamp>& stamps, int half,
                                  const KernelBasis& basis, const Cpu& where);

}  // namespace srcextract
