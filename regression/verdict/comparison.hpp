#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/shared_columns.hpp"
#include "regression/matching/align.hpp"
#include "regression/matching/match.hpp"
#include "regression/statistics/division.hpp"
#include "regression/statistics/robust.hpp"
#include "regression/statistics/spread.hpp"
#include "regression/statistics/trend.hpp"
#include "regression/verdict/concentration.hpp"

namespace srcextract {

/// A pair whose difference is an outlier among pairs of similar brightness. Rows count from 1, like NUMBER.
struct Offender {
  std::int64_t reference_row, new_row;
  double x, y;              ///< position in the reference: pixels, or degrees if matched by sky
  double reference, other;  ///< the two values
  double difference;        ///< difference as defined by the column's rule
};

/// Comparison of one column over all pairs; `difference` says how the rule defines differences.
struct ColumnComparison {
  std::string name, unit;
  Difference difference = Difference::absolute;
  std::int64_t pairs = 0;                        ///< pairs with a number on both sides
  std::int64_t values_lost = 0;                  ///< numbers in the reference only
  std::int64_t values_gained = 0;                ///< numbers in the new catalogue only
  std::vector<std::int64_t> rows_without_value;  ///< indices of the first pairs that values_lost counts
  Spread absolute, relative, in_sigma;           ///< spreads of the differences
  Location location;                             ///< location of the difference
  Trend with_flux, with_x, with_y;
  Deviation bright_end;          ///< significance 0: none
  std::vector<Deviation> cells;  ///< parts of the field in which the difference deviates, the most significant first
  std::int64_t outliers = 0;
  Concentration outliers_are;   ///< common property of the outliers
  std::vector<Offender> worst;  ///< the largest outliers, else the largest differences
};

/// Numbers of sources matched, lost and gained.
struct SourceComparison {
  std::int64_t reference = 0, other = 0;  ///< rows
  std::int64_t matched = 0, lost = 0, gained = 0;
  std::int64_t reference_duplicates = 0, new_duplicates = 0;
  std::int64_t reference_nowhere = 0, new_nowhere = 0;  ///< rows without a position
};

struct Comparison {
  Frame frame = Frame::pixel;
  double radius = 0;  ///< radius in pixels, degrees or sigma
  bool radius_in_sigma = false;
  Alignment alignment;      ///< change undone before matching
  bool same_image = false;  ///< positions show that both sides measured the same pixels
  Matches matches;
  std::vector<SharedColumn> shared;  ///< columns of both sides
  SourceComparison sources;
  std::vector<ColumnComparison> columns;
  std::vector<Finding> findings;   ///< violations of the rules, the most telling first; none: the verdict is good
  std::vector<std::string> notes;  ///< remarks that are no violations

  bool within() const { return findings.empty(); }
};

}  // namespace srcextract
