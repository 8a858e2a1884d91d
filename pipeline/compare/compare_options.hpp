#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/log/log.hpp"

namespace srcextract {

/// Options of `srcextract compare`.
struct CompareOptions {
  std::string reference, other;  ///< two catalogues, or two directories
  std::string rules;             ///< YAML; empty: the built-in rules
  std::string json, junit;       ///< paths of the reports; empty: none, "-": stdout
  std::string matched;           ///< path for the matched rows of both sides; empty: none
  std::string update;            ///< the reason why NEW replaces REFERENCE; empty: no update
  bool dump_rules = false;
  int threads = 1;
  std::optional<std::int64_t> memory;  ///< limit in bytes; none: all that this process can have
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< the only requested output (--help); empty: none
};

/// Throws Error{config} if the arguments make no sense.
CompareOptions parse_compare_options(int argc, const char* const* argv);

}  // namespace srcextract
