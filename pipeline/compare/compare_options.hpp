#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/log/log.hpp"

namespace srcextract {

/// What the user asked of `srcextract compare`.
struct CompareOptions {
  std::string reference, other;  ///< two catalogues, or two directories
  std::string rules;             ///< YAML; empty: the built-in rules
  std::string json, junit;       ///< where reports for machines go; empty: nowhere, "-": stdout
  std::string matched;           ///< where both sides' rows go; empty: nowhere
  std::string update;            ///< why NEW replaces REFERENCE; empty: it does not
  bool dump_rules = false;
  int threads = 1;
  std::optional<std::int64_t> memory;  ///< bytes that it may take; none: all that this process can have
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< not empty: all that was asked for is this text (--help)
};

/// Whether the arguments are those of `srcextract compare`, which are parsed here and not by parse_command_line.
bool is_compare(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
CompareOptions parse_compare_options(int argc, const char* const* argv);

}  // namespace srcextract
