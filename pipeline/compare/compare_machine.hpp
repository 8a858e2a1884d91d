#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare.hpp"

namespace srcextract {

/// Everything that was found, as JSON. A number that is not finite is null.
std::string format_json(const std::vector<FileComparison>& files, const CompareRules& rules);

/// The verdicts as JUnit XML: a test suite a file, in it a test case for the sources and for every column. What
/// could not be read is an error, and what is beyond the rules a failure.
std::string format_junit(const std::vector<FileComparison>& files);

}  // namespace srcextract
