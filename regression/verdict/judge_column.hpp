#pragma once

#include <string>
#include <vector>

#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// A violation of a column's rule. Violations with the same cause are reported once for all columns; `cause` may be
/// empty.
struct ColumnFinding {
  std::string words;
  std::string cause;
};

/// Lists the violations of the column's rule with a significance of at least `sigma`.
std::vector<ColumnFinding> judge_column(const PairedColumn& column, const ColumnComparison& result, const Pairs& pairs,
                                        double sigma);

}  // namespace srcextract
