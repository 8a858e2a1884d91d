#pragma once

#include <string>
#include <vector>

#include "stages/settings/keys.hpp"

namespace srcextract {

/// Error message about a manifest column that has no meaning but was probably meant to have one; empty if the column
/// may be ignored. Such columns are:
/// - a key without its section (`threshold`), except `file`, `files` and `size`
/// - a known column with a misspelling or in upper case (`Path`, `detec`)
/// - any name that contains a ':'
std::string problem_of_foreign_column(const std::string& column, const config::Fields& keys);

std::string describe_foreign_columns(const std::vector<std::string>& columns);

}  // namespace srcextract
