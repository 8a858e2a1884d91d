#pragma once

#include <string>
#include <vector>

#include "pipeline/options/band_options.hpp"
#include "pipeline/options/run_options.hpp"

namespace srcextract {

/// What the user asked of `srcextract CONFIG IMAGE...`, or of `srcextract difference`.
struct CommandLine : RunOptions {
  std::string reference;                     ///< the frame that is subtracted; empty: none
  std::string detect;                        ///< the image in which sources are found; empty: in each itself
  std::vector<std::string> detect_settings;  ///< applied to the configuration for that image alone
  std::vector<BandOption> bands;             ///< in which what is found there is measured; empty: in the inputs
  std::string positions;                     ///< the table of places at which light is measured; empty: none
  bool dump_config = false;
};

/// Throws Error{config} if the arguments make no sense.
CommandLine parse_command_line(int argc, const char* const* argv);

/// Whether the file is a FITS image by its name, or by how it begins. Only regular files are opened: what a pipe says
/// can be read once.
bool is_image(const std::string& path);

}  // namespace srcextract
