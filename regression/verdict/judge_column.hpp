#pragma once

#include <string>
#include <vector>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// A finding about a column. Findings of one cause are told once, for all columns that have it.
struct ColumnFinding {
  std::string words;
  std::string cause;
};

/// What is beyond the column's rule, at `sigma` or more.
std::vector<ColumnFinding> judge_column(const PairedColumn& column, const ColumnComparison& result, const Pairs& pairs,
                                        double sigma);

}  // namespace srcextract
