#pragma once

#include <string>
#include <vector>

#include "config/fields.hpp"

namespace srcextract {

/// What is wrong with a column of a manifest that means nothing in one; empty if it may stand there. Wrong is what was
/// probably meant as a key (`threshold`) or as one of the columns that have a meaning: such a name with one slip
/// (`Path`, `detec`), in any letters, and anything with a ':', which only those have.
std::string problem_of_foreign_column(const std::string& column, const config::Fields& keys);

/// What is said of those that are left alone; empty if there are none.
std::string describe_foreign_columns(const std::vector<std::string>& columns);

}  // namespace srcextract
