#pragma once

#include <string>

namespace srcextract {

/// Options of `srcextract convert-config`.
struct ConvertOptions {
  std::string configuration;  ///< SExtractor's .sex
  std::string parameters;     ///< its .param; empty: the one named in the configuration
  std::string output;         ///< empty: standard output
  bool strict = false;        ///< a setting that cannot be honoured is an error
  bool quiet = false;
  std::string answer;  ///< the only requested output (--help); empty: none
};

/// Whether the arguments are for `srcextract convert-config`, parsed here and not by parse_command_line.
bool is_convert(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
ConvertOptions parse_convert_options(int argc, const char* const* argv);

}  // namespace srcextract
