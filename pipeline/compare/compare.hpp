#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "pipeline/compare/compare_options.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// The comparison of one reference catalogue with the new catalogue.
struct FileComparison {
  std::string name;              ///< FilePair::name, or the path of the reference if two files are compared
  std::string reference, other;  ///< paths; empty if that directory lacks the file
  Comparison comparison;         ///< valid if both files could be read
  std::string failure;           ///< why the files could not be compared; empty if they were compared
  int code = 0;  ///< exit code of the error in `failure`; 0 if there is no error, as when a directory lacks the file

  bool within() const { return failure.empty() && comparison.within(); }
};

/// Compares the files or directories that `options` names, by `rules`. Writes all outputs except those for stdout.
std::vector<FileComparison> compare_paths(const CompareOptions& options, const CompareRules& rules);

/// Runs `srcextract compare`. Returns the exit code: 0 if every file is within the rules, else the highest code of any
/// file. A file beyond the rules has the code of ErrorKind::mismatch; with --update, only errors count.
int run_compare(const CompareOptions& options);

}  // namespace srcextract
