#pragma once

#include "regression/columns/catalog.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Makes a table with the rows of both catalogues side by side: matched pairs in the reference's order, then lost rows,
/// gained rows, and duplicates.
/// - MATCH is the kind of the row: matched, lost, gained or duplicate.
/// - ROW_REF and ROW_NEW are row numbers in the catalogues, from 1; 0: no row.
/// - The columns of both catalogues are NAME_REF and NAME_NEW, with the values of the files.
/// - After a compared column stands NAME_DIFF, the difference as the rules define the difference.
///
/// Missing values are NaN or empty texts.
Table make_matched_table(const Catalog& reference, const Catalog& other, const Comparison& comparison,
                         const CompareRules& rules);

}  // namespace srcextract
