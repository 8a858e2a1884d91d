#pragma once

#include <span>
#include <vector>

#include "regression/statistics/division.hpp"
#include "regression/statistics/robust.hpp"

namespace srcextract {

/// How a column's difference runs with something else, fitted over bins of equally many sources.
struct Trend {
  double slope = not_known, error = not_known;  ///< per dex of flux, or per magnitude, pixel, degree
  double effect = 0;                            ///< |slope| times the range: from end to end
  double significance = 0;                      ///< sigma of the slope
};

/// A part of the field, or of the range of fluxes, in which a column differs otherwise than in the rest.
struct Deviation {
  Part part;                        ///< of the field
  double share = 0;                 ///< of the sources: those in it, or at the bright end
  double deviation = 0, error = 0;  ///< location there less that of the rest
  double significance = 0;
};

/// The location of a column's differences in each bin, of the pairs that are looked at and have a difference.
std::vector<Location> locations_in(std::span<const double> difference, const std::vector<std::int64_t>& looked_at,
                                   std::span<const std::uint8_t> bin, std::size_t bins);

/// The mean of the bins' locations by weighted least squares: what the precise (bright) ones say, to whom the imprecise
/// add little. Of fewer than 4 bins that hold something, nothing is known.
Location weighted_location(const PairBins& bins, const std::vector<Location>& locations);

/// The straight line through the bins' locations by weighted least squares; its error takes in how far they lie from
/// it. Of fewer than 4 bins that hold something, nothing is known.
Trend fit_trend(const PairBins& bins, const std::vector<Location>& locations);

/// The brightest bins, if they differ from the fainter ones by more than the fainter ones do among themselves: what
/// saturation and non-linearity look like.
Deviation find_bright_end(const PairBins& brightness, const std::vector<Location>& locations);

/// The cells of the field that differ from the rest by more than `least`, at `sigma` or more, the most significant
/// first.
std::vector<Deviation> find_cells(const Division& field, const std::vector<Location>& cells, double least,
                                  double sigma);

}  // namespace srcextract
