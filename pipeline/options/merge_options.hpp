#pragma once

#include <string>

#include "pipeline/log/log.hpp"
#include "survey/merge/merge.hpp"

namespace srcextract {

/// What the user asked of `srcextract merge`.
struct MergeCommand {
  MergeOptions options;
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< not empty: all that was asked for is this text (--help)
};

/// Whether the arguments are those of `srcextract merge`, which are parsed here and not by parse_command_line.
bool is_merge(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
MergeCommand parse_merge_options(int argc, const char* const* argv);

}  // namespace srcextract
