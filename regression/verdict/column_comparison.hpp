#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/statistics/division.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// The values of one column in every pair, in the report's convention; NaN where there is none.
struct PairedColumn {
  std::string name, unit;
  const ColumnRule* rule = nullptr;
  std::string text;  ///< what is to be said if a side has text where the other has numbers
  std::vector<double> reference, other;
  /// Standard errors, of the column that the rule calls `error`; empty if a side does not have it.
  std::vector<double> reference_error, new_error;
  /// Of right ascension: by this its differences are angles on the sky. Empty for any other column.
  std::vector<double> cos_declination;
  /// The other coordinate of the same position, with which it may have changed places; empty if there is none.
  std::vector<double> partner_reference;
  std::string partner;
};

/// What every column's comparison needs to know of the pairs.
struct Pairs {
  const Matches& matches;
  const Division& field;
  std::span<const double> x, y;               ///< of each pair, in the reference
  std::span<const double> brightness;         ///< of each pair, log10 of the flux; empty if it is not known
  std::span<const double> sorted_brightness;  ///< without NaN
  Frame frame = Frame::pixel;
  int threads = 1;  ///< that look at them
};

/// The difference of one pair as `difference` defines it; NaN if a value is.
double difference_of(const PairedColumn& column, std::size_t pair, Difference difference);

/// `sigma` is what a deviation in a part of the field needs to be listed.
ColumnComparison compare_column(const PairedColumn& column, const Pairs& pairs, double outlier, double sigma);

}  // namespace srcextract
