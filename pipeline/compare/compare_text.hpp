#pragma once

#include <string>
#include <vector>

#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// The tables of one comparison for a terminal: counts, differences, trends, and the largest outliers.
std::string format_tables(const FileComparison& file);

/// Whether each row of one catalogue is matched in the other, with equal numbers in all columns that are compared.
bool is_equal(const FileComparison& file);

/// One line for such catalogues.
std::string format_equal(const FileComparison& file);

/// Remarks that have no effect on the verdict; empty if there are none.
std::string format_notes(const FileComparison& file);

/// The verdict: whether the new catalogue is within the rules, and if not, the reasons.
std::string format_verdict(const FileComparison& file);

/// One line per file, with the reasons below each file that is not within the rules. After the files, each note is
/// printed once.
std::string format_files(const std::vector<FileComparison>& files);

}  // namespace srcextract
