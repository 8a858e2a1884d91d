#pragma once

#include <string>

#include "pipeline/log/log.hpp"
#include "survey/merge/merge.hpp"

namespace srcextract {

struct MergeCommand {
  MergeOptions options;
  bool report = false;  ///< also write an HTML page about the survey
  Verbosity verbosity = Verbosity::normal;
  std::string answer;  ///< the only text to print (--help); empty: none
};

/// Parses the options of `srcextract merge`. Throws Error{config} if the arguments are invalid.
MergeCommand parse_merge_options(int argc, const char* const* argv);

}  // namespace srcextract
