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
  std::string text;  ///< description, if the column is text on one side and numbers on the other
  std::vector<double> reference, other;
  /// Standard errors, from the rule's `error` column; empty if a side lacks it.
  std::vector<double> reference_error, new_error;
  /// For right ascension, cos(declination) of each pair in the reference, which turns differences into angles on the
  /// sky. Empty for other columns.
  std::vector<double> cos_declination;
  /// The reference's values of the other coordinate, in case both coordinates are exchanged; empty if there is none.
  std::vector<double> partner_reference;
  std::string partner;
};

/// Data of all pairs that the comparison of every column needs.
struct Pairs {
  const Matches& matches;
  const Division& field;
  std::span<const double> x, y;               ///< position of each pair in the reference
  std::span<const double> brightness;         ///< log10 of the flux of each pair; empty if unknown
  std::span<const double> sorted_brightness;  ///< brightness without NaN, sorted
  Frame frame = Frame::pixel;
  int threads = 1;  ///< threads to use
};

/// The difference of a pair, computed as `difference` says (absolute, relative, ...); NaN if a value is NaN.
double difference_of(const PairedColumn& column, std::size_t pair, Difference difference);

/// Compares a column. Parts of the field are listed if they deviate by `sigma` or more. `outlier`:
/// SignificanceRules::outlier.
ColumnComparison compare_column(const PairedColumn& column, const Pairs& pairs, double outlier, double sigma);

}  // namespace srcextract
