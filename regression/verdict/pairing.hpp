#pragma once

#include "regression/columns/passes.hpp"
#include "regression/verdict/column_comparison.hpp"

namespace srcextract {

/// The values of a shared column for every pair, with the column's rule, errors and other coordinate.
PairedColumn pair_up(const LoadedColumns& loaded, const std::vector<SharedColumn>& shared, std::size_t column,
                     const CompareRules& rules, const Matches& matches);

}  // namespace srcextract
