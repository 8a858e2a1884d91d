#pragma once

#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// Options of `srcextract sextractor`, also if the program is called by the name of SExtractor.
struct SextractorOptions {
  std::vector<std::string> images;  ///< the measured image, or the detection image and then the measured image
  std::string configuration;        ///< the value of -c; empty: default.sex, if that file exists
  std::vector<std::pair<std::string, std::string>> settings;  ///< the values of -KEY VALUE, in the order typed
  std::vector<std::string> arguments;                         ///< as typed, the program's name first
  std::string answer;  ///< The only text to print (-h, -v, -d, -dd, -dp). Empty: none.
  /// Text for stderr, after `answer`, with nothing else to do: who answers (without arguments, -v). Empty: none.
  std::string aside;
};

/// Whether the arguments are for `srcextract sextractor`: the command is named, or the program was called by a link
/// named `sex`, `sextractor` or `source-extractor`.
bool is_sextractor(int argc, const char* const* argv);

/// Parses the arguments, after is_sextractor() returned true. Throws Error{config} if the arguments are invalid.
SextractorOptions parse_sextractor_options(int argc, const char* const* argv);

}  // namespace srcextract
