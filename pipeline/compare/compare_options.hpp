#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/log/log.hpp"

namespace srcextract {

struct CompareOptions {
  std::string reference, other;  ///< paths of two catalogues or of two directories
  std::string rules;             ///< path of a YAML file; empty: the built-in rules
  std::string json, junit;       ///< paths of the reports; empty: no report, "-": stdout
  std::string matched;           ///< path of the table of matched rows; empty: none is written
  std::string update;  ///< the user's reason for replacing the reference by the new catalogue; empty: the reference is
                       ///< not replaced
  bool dump_rules = false;
  int threads = 1;
  std::optional<std::int64_t> memory;  ///< limit in bytes; null: all memory that the process can have
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< text that the program prints instead of comparing (--help); empty: none
};

/// Throws Error{config} if the arguments are invalid.
CompareOptions parse_compare_options(int argc, const char* const* argv);

}  // namespace srcextract
