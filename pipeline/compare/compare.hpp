#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare_options.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// One file of the reference held against its counterpart.
struct FileComparison {
  std::string name;              ///< that of the FilePair, or what the user called the reference
  std::string reference, other;  ///< paths; empty: there is none
  Comparison comparison;         ///< of two files
  std::string failure;           ///< why there is no comparison; empty if there is one
  int code = 0;                  ///< the exit code of an error that is the failure

  bool within() const { return failure.empty() && comparison.within(); }
};

/// What `srcextract compare` finds with these rules, its outputs written but for what goes to stdout.
std::vector<FileComparison> compare_paths(const CompareOptions& options, const CompareRules& rules);

/// Runs `srcextract compare` and returns its exit code: 0 if everything is within the rules, else that of
/// ErrorKind::mismatch, or the highest of what could not be read.
int run_compare(const CompareOptions& options);

}  // namespace srcextract
