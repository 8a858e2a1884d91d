#pragma once

#include <span>
#include <vector>

#include "regression/statistics/division.hpp"
#include "regression/statistics/robust.hpp"

namespace srcextract {

/// Linear trend of a column's difference with another quantity, fitted over bins of equally many sources.
struct Trend {
  double slope = not_known, error = not_known;  ///< slope per dex of flux, or per pixel or degree
  double effect = 0;                            ///< |slope| times the range
  double significance = 0;                      ///< significance of the slope, in sigma
};

/// A part of the field, or the bright end, in which a column's difference deviates from the rest.
struct Deviation {
  Part part;                        ///< part of the field
  double share = 0;                 ///< share of the sources that lie in the part, or at the bright end
  double deviation = 0, error = 0;  ///< location of the difference in this part minus location in the rest
  double significance = 0;
};

/// Location of a column's differences in each bin, from the pairs `looked_at` that have a difference.
std::vector<Location> locations_in(std::span<const double> difference, const std::vector<std::int64_t>& looked_at,
                                   std::span<const std::uint8_t> bin, std::size_t bins);

/// Weighted mean of the bins' locations. Precise (bright) bins dominate. With fewer than 4 non-empty bins the result is
/// unknown.
Location weighted_location(const PairBins& bins, const std::vector<Location>& locations);

/// Weighted straight-line fit of the bins' locations; the error includes their scatter about the line. With fewer than
/// 4 non-empty bins the result is unknown.
Trend fit_trend(const PairBins& bins, const std::vector<Location>& locations);

/// The most significant deviation of the brightest bins (up to a quarter of all) from the fainter ones: a sign of
/// saturation or non-linearity. Significance 0 with fewer than 5 non-empty bins.
Deviation find_bright_end(const PairBins& brightness, const std::vector<Location>& locations);

/// Cells of the field that differ from the rest by more than `least`, with `sigma` or more; the most significant first.
std::vector<Deviation> find_cells(const Division& field, const std::vector<Location>& cells, double least,
                                  double sigma);

}  // namespace srcextract
