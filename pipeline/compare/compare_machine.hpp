#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// The results of all comparisons as JSON. NaN and infinite numbers are null.
std::string format_json(const std::vector<FileComparison>& files, const CompareRules& rules);

/// The verdicts as JUnit XML: one test suite per file. A suite has test cases for columns, positions and sources as a
/// whole, and one for each column. A file that could not be read is an error; a difference beyond the rules is a
/// failure.
std::string format_junit(const std::vector<FileComparison>& files);

}  // namespace srcextract
