#pragma once

#include <string>
#include <vector>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// A finding about a column. Findings of one cause are reported once for all columns.
struct ColumnFinding {
  std::string words;
  std::string cause;
};

/// Lists the violations of the column's rule whose significance is at least `sigma`.
std::vector<ColumnFinding> judge_column(const PairedColumn& column, const ColumnComparison& result, const Pairs& pairs,
                                        double sigma);

}  // namespace srcextract
