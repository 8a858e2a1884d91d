#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/statistics/division.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Values of one column for every pair, in the report's convention; NaN if missing.
struct PairedColumn {
  std::string name, unit;
  const ColumnRule* rule = nullptr;
  /// Description of the problem if the column is text on one side and numbers on the other; else empty.
  std::string text;
  std::vector<double> reference, other;
  /// Standard errors from the column of the rule's `error`, or from SExtractor's column if the rule names none. Empty
  /// if a catalogue lacks the column.
  std::vector<double> reference_error, new_error;
  /// For right ascension: cos(declination) of each pair in the reference, which converts differences to angles on the
  /// sky. Empty for other columns.
  std::vector<double> cos_declination;
  /// The reference's values of the other coordinate of the position, to detect exchanged coordinates. Empty if there is
  /// none.
  std::vector<double> partner_reference;
  std::string partner;
};

/// Data of all pairs that every column's comparison needs.
struct Pairs {
  const Matches& matches;
  const Division& field;
  std::span<const double> x, y;        ///< position of each pair in the reference
  std::span<const double> brightness;  ///< log10 of the flux, or -0.4 times the magnitude, of each pair: mean of both
                                       ///< sides; empty if unknown
  std::span<const double> sorted_brightness;  ///< `brightness` without NaN, in ascending order
  Frame frame = Frame::pixel;
  int threads = 1;
};

/// The difference of the values of a pair, defined by `difference` (absolute, relative ...). NaN if a value is NaN.
double difference_of(const PairedColumn& column, std::size_t pair, Difference difference);

/// Compares the values of a column. Lists cells of the field that deviate by at least `sigma` sigma. `outlier` is
/// SignificanceRules::outlier, the distance in units of the scatter from which a pair is an outlier.
ColumnComparison compare_column(const PairedColumn& column, const Pairs& pairs, double outlier, double sigma);

}  // namespace srcextract
