#pragma once

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"
#include "regression/columns/shared_columns.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Holds a new catalogue against a reference: which sources are in both, how each column differs, and whether that is
/// within the rules. The result does not depend on the number of threads. Columns are read in as few passes as
/// `memory` bytes of values allow.
///
/// Throws Error{input} if a side has no positions that the other has as well, Error{config} if the rules ask for what
/// the catalogues do not have.
Comparison compare_catalogs(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor, int threads, std::int64_t memory);

}  // namespace srcextract
