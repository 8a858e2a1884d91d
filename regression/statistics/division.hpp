#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace srcextract {

/// A division of a quantity into bins of equally many pairs, over which a trend is looked for.
struct PairBins {
  std::vector<std::uint8_t> of_pair;  ///< the bin of each pair
  std::vector<double> centre;  ///< median of the quantity in each bin; fewer than 4 bins are of no use for a trend
  double range = 0;            ///< from the first centre to the last

  std::size_t count() const { return centre.size(); }
};

/// A rectangle of the field, in pixels or degrees.
struct Part {
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
};

/// What the pairs have in common with their neighbours: how bright they are and where in the field. NaN has bin 0.
struct Division {
  PairBins brightness;  ///< by log10 of the flux, or by the magnitude turned round; one bin if neither is known
  PairBins x, y;
  /// A grid of `side` x `side` cells over the field; cell of pair k is cell_row * side + cell_column.
  std::vector<std::uint8_t> cell;
  std::size_t side = 1;
  Part whole;
  std::vector<std::int64_t> looked_at;  ///< the pairs that locations and trends are found from: all, or about a million

  std::size_t cell_of(double px, double py) const;
  Part part(std::size_t cell_number) const;
};

/// `brightness` in any unit that grows with the flux, empty if none is known; all of one length.
Division divide_pairs(std::span<const double> brightness, std::span<const double> x, std::span<const double> y);

}  // namespace srcextract
