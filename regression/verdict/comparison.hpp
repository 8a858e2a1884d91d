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

/// A pair with a large difference. Rows count from 1, like NUMBER.
struct Offender {
  std::int64_t reference_row, new_row;
  double x, y;              ///< position in the reference, in pixels, or in degrees if matched on the sky
  double reference, other;  ///< the values of the two catalogues
  double difference;        ///< as the column's rule defines differences
};

/// The comparison of one column over all pairs. `difference` is the rule's definition of a difference.
struct ColumnComparison {
  std::string name, unit;
  Difference difference = Difference::absolute;
  std::int64_t pairs = 0;                        ///< number of pairs with a number on both sides
  std::int64_t unequal = 0;                      ///< number of pairs whose values are not the same to the last bit
  std::int64_t values_lost = 0;                  ///< number of pairs with a number only in the reference
  std::int64_t values_gained = 0;                ///< number of pairs with a number only in the new catalogue
  std::vector<std::int64_t> rows_without_value;  ///< indices of the first few pairs that values_lost counts
  Spread absolute, relative, in_sigma;  ///< spreads of the differences by three definitions, whatever the rule says
  Location location;                    ///< location (robust mean) of the differences
  Trend with_flux, with_x, with_y;
  Deviation bright_end;          ///< deviation of the brightest sources; significance 0 if there is none
  std::vector<Deviation> cells;  ///< cells of the field in which the differences deviate, the most significant first
  std::int64_t outliers = 0;
  Concentration outliers_are;   ///< property that the outliers have in common
  std::vector<Offender> worst;  ///< the largest outliers; if there are none, the largest differences
};

struct SourceComparison {
  std::int64_t reference = 0, other = 0;  ///< numbers of rows
  std::int64_t matched = 0, lost = 0, gained = 0;
  std::int64_t reference_duplicates = 0, new_duplicates = 0;
  std::int64_t reference_nowhere = 0, new_nowhere = 0;  ///< numbers of rows without a position
};

struct Comparison {
  Frame frame = Frame::pixel;
  double radius = 0;  ///< radius in pixels, degrees or sigma
  bool radius_in_sigma = false;
  Alignment alignment;      ///< change of the new positions that was undone before matching
  bool same_image = false;  ///< whether both sides measured the same pixels, by their positions or by the user's rules
  Matches matches;          ///< lost and gained rows are neither duplicates nor without a position
  std::vector<std::int64_t> reference_nowhere, new_nowhere;  ///< rows without a position
  std::vector<SharedColumn> shared;                          ///< columns that both catalogues have
  SourceComparison sources;
  std::vector<ColumnComparison> columns;
  std::vector<Finding> findings;   ///< violations of the rules; empty: the new catalogue is accepted
  std::vector<std::string> notes;  ///< remarks that are no violations of the rules

  bool within() const { return findings.empty(); }
};

}  // namespace srcextract
