#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace srcextract {

/// Bins of the pairs by a quantity, such as brightness, with equally many pairs in each bin. Trends are searched over
/// the bins.
struct PairBins {
  std::vector<std::uint8_t> of_pair;  ///< by pair: number of the pair's bin
  std::vector<double> centre;         ///< median of the quantity in each bin
  double range = 0;                   ///< last centre minus first centre

  std::size_t count() const { return centre.size(); }
};

/// A rectangle of the field, in pixels or degrees.
struct Part {
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
};

/// The bins of brightness and position, and the cell of the field, to which each pair belongs. A pair with NaN belongs
/// to bin 0.
struct Division {
  PairBins brightness;  ///< by log10 of the flux, or -0.4 times the magnitude; one bin if neither is known
  PairBins x, y;
  /// Cells of a `side` x `side` grid over the field; the cell of pair k is row * side + column.
  std::vector<std::uint8_t> cell;
  std::size_t side = 1;
  Part whole;
  /// Pairs from which locations and trends are computed: all pairs, or a random choice of about 2^19 to 2^20 pairs.
  std::vector<std::int64_t> looked_at;

  std::size_t cell_of(double px, double py) const;
  Part part(std::size_t cell_number) const;
};

/// Divides the pairs, given the brightness and position of each. `brightness` grows with the flux, in any unit; empty
/// if unknown, else as long as `x` and `y`.
Division divide_pairs(std::span<const double> brightness, std::span<const double> x, std::span<const double> y);

}  // namespace srcextract
