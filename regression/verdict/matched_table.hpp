#pragma once

#include "regression/columns/catalog.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Both sides' rows beside each other: the pairs in the reference's order, then the lost, the gained, and those that
/// repeat another row. MATCH says which (matched, lost, gained, duplicate); ROW_REF and ROW_NEW count rows from 1, 0
/// where there is none. Every column of either side follows as NAME_REF and NAME_NEW, as its file has it; behind those
/// that are compared stands the difference as the rules define it, NAME_DIFF. What a row does not have is NaN or an
/// empty text.
Table make_matched_table(const Catalog& reference, const Catalog& other, const Comparison& comparison,
                         const CompareRules& rules);

}  // namespace srcextract
