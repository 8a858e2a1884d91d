#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace srcextract {

/// Bins of the pairs by a quantity such as brightness, with equally many pairs each, in which trends are searched.
struct PairBins {
  std::vector<std::uint8_t> of_pair;  ///< bin of each pair
  std::vector<double> centre;         ///< median of the quantity in each bin; a trend needs at least 4 bins
  double range = 0;                   ///< from the first centre to the last

  std::size_t count() const { return centre.size(); }
};

/// A rectangle of the field, in pixels or degrees.
struct Part {
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
};

/// The bin of brightness and the cell of the field that each pair belongs to. NaN belongs to bin 0.
struct Division {
  PairBins brightness;  ///< by log10 of the flux, or by -0.4 times the magnitude; one bin if neither is known
  PairBins x, y;
  /// Cells of a `side` x `side` grid over the field; the cell of pair k is row * side + column.
  std::vector<std::uint8_t> cell;
  std::size_t side = 1;
  Part whole;
  std::vector<std::int64_t> looked_at;  ///< pairs from which locations and trends are computed: all, or about a million

  std::size_t cell_of(double px, double py) const;
  Part part(std::size_t cell_number) const;
};

/// Divides the pairs. `brightness` grows with the flux, in any unit; empty if unknown. All spans have one length.
Division divide_pairs(std::span<const double> brightness, std::span<const double> x, std::span<const double> y);

}  // namespace srcextract
