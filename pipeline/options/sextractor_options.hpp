#pragma once

#include <string>
#include <utility>
#include <vector>

namespace srcextract {

/// Options of `srcextract sextractor`, or of a link to it with SExtractor's name.
struct SextractorOptions {
  std::vector<std::string> images;  ///< one image, or the detection image and the measured image
  std::string configuration;        ///< -c; empty: default.sex, if there is one
  std::vector<std::pair<std::string, std::string>> settings;  ///< -KEY VALUE, in the order typed
  std::vector<std::string> arguments;                         ///< as typed, the program's name first
  std::string answer;  ///< the only requested output (-h, -v, -d, -dd, -dp); empty: none
};

/// Whether the arguments are for `srcextract sextractor`, or the program was called by a link named `sex`, `sextractor`
/// or `source-extractor`. Such arguments are parsed here and not by parse_command_line.
bool is_sextractor(int argc, const char* const* argv);

/// Throws Error{config} if the arguments make no sense.
SextractorOptions parse_sextractor_options(int argc, const char* const* argv);

}  // namespace srcextract
