#pragma once

#include "regression/columns/catalog.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Makes a table of both sides' rows side by side: the pairs in the reference's order, then lost rows, gained rows, and
/// duplicates.
/// - MATCH gives the kind: matched, lost, gained, duplicate.
/// - ROW_REF and ROW_NEW count rows from 1; 0 means none.
/// - Every column of either side follows as NAME_REF and NAME_NEW, with the file's values.
/// - Compared columns are followed by NAME_DIFF, the difference that the rules define.
/// Missing values are NaN or empty text.
Table make_matched_table(const Catalog& reference, const Catalog& other, const Comparison& comparison,
                         const CompareRules& rules);

}  // namespace srcextract
