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

/// A row that is far from where its neighbours in brightness are. Rows are counted from 1, as NUMBER is.
struct Offender {
  std::int64_t reference_row, new_row;
  double x, y;              ///< position in the reference; pixels, or degrees if matched by sky
  double reference, other;  ///< the two values
  double difference;        ///< as the column's rule defines it
};

/// One column over all pairs. `difference` is what its rule says.
struct ColumnComparison {
  std::string name, unit;
  Difference difference = Difference::absolute;
  std::int64_t pairs = 0;                        ///< in which both sides have a number
  std::int64_t values_lost = 0;                  ///< a number in the reference, none in the new
  std::int64_t values_gained = 0;                ///< the other way round
  std::vector<std::int64_t> rows_without_value;  ///< the first pairs of values_lost
  Spread absolute, relative, in_sigma;           ///< of the differences
  Location location;                             ///< of the difference
  Trend with_flux, with_x, with_y;
  Deviation bright_end;          ///< of significance 0 if there is none
  std::vector<Deviation> cells;  ///< parts of the field that differ, the most significant first
  std::int64_t outliers = 0;
  Concentration outliers_are;   ///< what they have in common
  std::vector<Offender> worst;  ///< the largest outliers, or if there are none the largest differences
};

/// How the sources came and went.
struct SourceComparison {
  std::int64_t reference = 0, other = 0;  ///< rows
  std::int64_t matched = 0, lost = 0, gained = 0;
  std::int64_t reference_duplicates = 0, new_duplicates = 0;
  std::int64_t reference_nowhere = 0, new_nowhere = 0;  ///< rows without a position
};

struct Comparison {
  Frame frame = Frame::pixel;
  double radius = 0;  ///< in pixels, degrees or sigma
  bool radius_in_sigma = false;
  Alignment alignment;      ///< undone before matching
  bool same_image = false;  ///< positions agree so well that both sides must have measured the same pixels
  Matches matches;
  std::vector<SharedColumn> shared;  ///< the columns of both sides
  SourceComparison sources;
  std::vector<ColumnComparison> columns;
  std::vector<Finding> findings;   ///< what is beyond the rules, the most telling first; none: the verdict is good
  std::vector<std::string> notes;  ///< what a reader should know, and no reason against

  bool within() const { return findings.empty(); }
};

}  // namespace srcextract
