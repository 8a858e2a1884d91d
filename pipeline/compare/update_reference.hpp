#pragma once

#include <string>
#include <vector>

#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// Replaces the references by the new catalogues, each completely or not at all, and records it in a log:
/// REFERENCE.log, or REFERENCE/compare.log for a directory. A log line has the time, the version of srcextract, the
/// file, the result of the comparison, and `why`. In a directory, catalogues that only NEW has are added if their
/// header can be read; catalogues that only the reference has stay. Catalogues that could not be read stay, with a
/// warning. Throws Error{config} if the two files have different endings, and Error{input} or Error{output} if a file
/// cannot be copied.
void update_references(const std::vector<FileComparison>& files, const std::string& reference, const std::string& why);

}  // namespace srcextract
