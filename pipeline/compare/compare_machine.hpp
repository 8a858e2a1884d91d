#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// All results as JSON. A number that is not finite is null.
std::string format_json(const std::vector<FileComparison>& files, const CompareRules& rules);

/// The verdicts as JUnit XML: one test suite per file, with test cases for columns, positions and sources as a whole,
/// and one per column. Files that could not be read are errors; differences beyond the rules are failures.
std::string format_junit(const std::vector<FileComparison>& files);

}  // namespace srcextract
