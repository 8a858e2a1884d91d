#pragma once

#include <string>
#include <vector>

#include "pipeline/options/band_options.hpp"
#include "pipeline/options/run_options.hpp"

namespace srcextract {

/// Options of `srcextract [CONFIG] IMAGE...`, `srcextract difference` and `srcextract psf`.
struct CommandLine : RunOptions {
  std::string reference;                        ///< the frame that is subtracted, or a folder of frames; empty: none
  std::string detect;                           ///< the detection image; empty: each image itself
  std::vector<std::string> reference_settings;  ///< for the reference's configuration alone
  std::vector<std::string> detect_settings;     ///< for the detection image's configuration alone
  std::vector<BandOption> bands;                ///< images in which detected sources are measured; empty: the inputs
  std::string positions;                        ///< the table of positions to measure; empty: none
  bool dump_config = false;
  bool only_psf = false;  ///< make the PSF of the images alone
};

/// Throws Error{config} if the arguments make no sense.
CommandLine parse_command_line(int argc, const char* const* argv);

}  // namespace srcextract
