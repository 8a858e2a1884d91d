#pragma once

#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// What the user asked of `srcextract sextractor`, or of a link to it of SExtractor's name.
struct SextractorOptions {
  std::vector<std::string> images;  ///< one, or that in which sources are found and that which is measured
  std::string configuration;        ///< -c; empty: default.sex, if there is one
  std::vector<std::pair<std::string, std::string>> settings;  ///< -KEY VALUE, in their order
  std::vector<std::string> arguments;                         ///< as typed, the program's name first
  std::string answer;  ///< not empty: all that was asked for is this text (-h, -v, -d, -dd, -dp)
};

/// Whether the arguments are those of `srcextract sextractor`, or the program was called by the name of a link: `sex`,
/// `sextractor` or `source-extractor`. They are parsed here and not by parse_command_line.
bool is_sextractor(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
SextractorOptions parse_sextractor_options(int argc, const char* const* argv);

}  // namespace srcextract
