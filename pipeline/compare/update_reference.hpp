#pragma once

#include <string>
#include <vector>

#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// Replaces the reference catalogues by the new ones. Each file is replaced completely or not at all.
///
/// Each replacement adds a line to a log: REFERENCE.log for a file, REFERENCE/compare.log for a directory. The line has
/// the time, the version of srcextract, the file, the result of the comparison, and `why`.
///
/// In a directory, a catalogue that only the new directory has is added if its header can be read. Catalogues that only
/// the reference has stay. A catalogue that could not be read stays too, with a warning.
///
/// Throws Error{config} if the two files have different endings, and Error{input} or Error{output} if a file cannot be
/// copied.
void update_references(const std::vector<FileComparison>& files, const std::string& reference, const std::string& why);

}  // namespace srcextract
