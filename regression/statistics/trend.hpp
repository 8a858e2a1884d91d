#pragma once

#include <span>
#include <vector>

#include "regression/statistics/division.hpp"
#include "regression/statistics/robust.hpp"

namespace srcextract {

/// A linear trend of a column's differences with another quantity, fitted to bins with equally many sources.
struct Trend {
  double slope = not_known, error = not_known;  ///< slope per factor of 10 in flux, or per pixel or degree
  double effect = 0;                            ///< |slope| times the range of the bins' centres
  double significance = 0;                      ///< significance of the slope in sigma
};

/// A cell of the field, or the bright end, in which a column's differences deviate. Cells are compared with the median
/// over all cells, the bright end with the other bins.
struct Deviation {
  Part part;                        ///< position of the cell; not set for the bright end
  double share = 0;                 ///< fraction of the sources that are in the cell, or at the bright end
  double deviation = 0, error = 0;  ///< mean difference in the cell or at the bright end, minus the value to compare
  double significance = 0;
};

/// The location (robust mean) of a column's differences in each of `bins` bins, from the pairs `looked_at`. Pairs
/// without a difference are left out.
std::vector<Location> locations_in(std::span<const double> difference, const std::vector<std::int64_t>& looked_at,
                                   std::span<const std::uint8_t> bin, std::size_t bins);

/// The weighted mean of the bins' locations; bins of bright sources, which are precise, dominate. Significance 0 if
/// fewer than 4 bins have at least two values.
Location weighted_location(const PairBins& bins, const std::vector<Location>& locations);

/// Fits a straight line to the bins' locations, weighted by their errors. The slope's error includes the scatter of the
/// locations about the line. Unknown if fewer than 4 bins have at least two values.
Trend fit_trend(const PairBins& bins, const std::vector<Location>& locations);

/// The most significant deviation of the brightest bins, up to a quarter of all, from the other bins. Such a deviation
/// suggests saturation or a non-linear detector. Significance 0 if fewer than 5 bins have at least two values.
Deviation find_bright_end(const PairBins& brightness, const std::vector<Location>& locations);

/// The cells of the field whose location differs from the median cell by more than `least`, with at least `sigma`
/// sigma. The most significant cell comes first. Cells with fewer than 12 values are left out.
std::vector<Deviation> find_cells(const Division& field, const std::vector<Location>& cells, double least,
                                  double sigma);

}  // namespace srcextract
