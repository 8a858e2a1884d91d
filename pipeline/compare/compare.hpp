#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare_options.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// One file of the reference compared with its counterpart.
struct FileComparison {
  std::string name;              ///< the FilePair's name, or the reference as the user named it
  std::string reference, other;  ///< paths; empty: there is none
  Comparison comparison;         ///< valid if both files could be read
  std::string failure;           ///< why there is no comparison; empty if there is one
  int code = 0;                  ///< the exit code of `failure`; 0 if a directory lacks the file

  bool within() const { return failure.empty() && comparison.within(); }
};

/// Compares the paths of `srcextract compare` with these rules, and writes all outputs except those that go to stdout.
std::vector<FileComparison> compare_paths(const CompareOptions& options, const CompareRules& rules);

/// Runs `srcextract compare` and returns its exit code: 0 if every file is within the rules, else the highest code of a
/// file. A difference has ErrorKind::mismatch's code, but with --update only errors count.
int run_compare(const CompareOptions& options);

}  // namespace srcextract
