#pragma once

#include <vector>

#include "regression/verdict/column_comparison.hpp"
#include "regression/verdict/explain.hpp"

namespace srcextract {

/// Lists the violations of the column's rule with a significance of at least `sigma`; trends, the bright end and cells
/// need at least 3 sigma. Texts, missing values and changes that explain_change() finds are listed without a test,
/// apart from magnitudes that noise makes undefined.
std::vector<ColumnFinding> judge_column(const PairedColumn& column, const ColumnComparison& result, const Pairs& pairs,
                                        double sigma);

}  // namespace srcextract
