#pragma once

#include <string>
#include <vector>

#include "stages/settings/keys.hpp"

namespace srcextract {

/// The problem of a manifest column without a meaning; empty if the column may be ignored. A column is a problem if it
/// probably was meant to have a meaning:
/// - a key without its section (`threshold`)
/// - a known column with one slip or in other case (`Path`, `detec`)
/// - any name with a ':'
std::string problem_of_foreign_column(const std::string& column, const config::Fields& keys);

/// A note about ignored columns; empty if there are none.
std::string describe_foreign_columns(const std::vector<std::string>& columns);

}  // namespace srcextract
