#pragma once

#include <string>
#include <vector>

#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// Puts the new catalogues in their references' places, each complete or not at all, and says so in a log beside them:
/// REFERENCE.log, of a directory REFERENCE/compare.log. A line has the time, the version of srcextract, the file, what
/// the comparison said, and `why`. In a directory, catalogues that only NEW has are added if their header
/// can be read; what only the reference has stays. Throws Error{output}.
void update_references(const std::vector<FileComparison>& files, const std::string& reference, const std::string& why);

}  // namespace srcextract
