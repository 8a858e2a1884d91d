#pragma once

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"
#include "regression/columns/shared_columns.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Compares a new catalogue with a reference: lost and gained sources, differences of each column, and whether these
/// are within the rules. The result does not depend on the number of threads. Columns are read in as few passes as
/// possible if values may take `memory` bytes.
///
/// Throws Error{input} if the catalogues share no positions. Throws Error{config} if the rules need data that the
/// catalogues lack.
Comparison compare_catalogs(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor, int threads, std::int64_t memory);

}  // namespace srcextract
