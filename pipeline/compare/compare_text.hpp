#pragma once

#include <string>
#include <vector>

#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// The tables of one comparison, for a terminal: counts, differences, trends, the largest offenders.
std::string format_tables(const FileComparison& file);

/// Remarks that do not count against the new catalogue; empty if there are none.
std::string format_notes(const FileComparison& file);

/// Whether the new catalogue is within the rules, and if not why.
std::string format_verdict(const FileComparison& file);

/// One line per file, with reasons below each file that is not within the rules; then the notes, each once.
std::string format_files(const std::vector<FileComparison>& files);

}  // namespace srcextract
