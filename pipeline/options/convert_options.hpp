#pragma once

#include <string>

namespace srcextract {

/// What the user asked of `srcextract convert-config`.
struct ConvertOptions {
  std::string configuration;  ///< SExtractor's .sex
  std::string parameters;     ///< its .param; empty: the one that the configuration names
  std::string output;         ///< empty: standard output
  bool strict = false;        ///< what could not be honoured is an error
  bool quiet = false;
  std::string answer;  ///< not empty: all that was asked for is this text (--help)
};

/// Whether the arguments are those of `srcextract convert-config`, which are parsed here and not by parse_command_line.
bool is_convert(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
ConvertOptions parse_convert_options(int argc, const char* const* argv);

}  // namespace srcextract
