#pragma once

#include <string>

#include "pipeline/log/log.hpp"
#include "survey/merge/merge.hpp"

namespace srcextract {

/// Options of `srcextract merge`.
struct MergeCommand {
  MergeOptions options;
  bool report = false;  ///< also write the page about the survey
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< the only requested output (--help); empty: none
};

/// Throws Error{config} if the arguments make no sense.
MergeCommand parse_merge_options(int argc, const char* const* argv);

}  // namespace srcextract
