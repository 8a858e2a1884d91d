#pragma once

#include <string>
#include <vector>

#include "pipeline/options/band_options.hpp"
#include "pipeline/options/run_options.hpp"

namespace srcextract {

/// Options of `srcextract [CONFIG] IMAGE...`, `srcextract difference` and `srcextract psf`.
struct CommandLine : RunOptions {
  std::string reference;  ///< the reference image that is subtracted, or a directory of reference images; empty: none
  std::string detect;     ///< the image in which sources are detected; empty: each image itself
  /// "section.key=value" texts, which override the configuration for the reference image alone.
  std::vector<std::string> reference_settings;
  /// "section.key=value" texts, which override the configuration for the detection image alone.
  std::vector<std::string> detect_settings;
  std::vector<BandOption> bands;  ///< images in which detected sources are measured; empty: the inputs are measured
  std::string positions;          ///< a table of positions to measure instead of detected sources; empty: none
  bool dump_config = false;
  bool only_psf = false;  ///< make only the PSF of each image, and no catalogue
};

/// Parses the arguments of `srcextract` without a command. Throws Error{config} if the arguments are invalid.
CommandLine parse_command_line(int argc, const char* const* argv);

/// Parses the options of `srcextract psf`, which makes a PSF for each image and no catalogue. Throws Error{config} if
/// the arguments are invalid.
CommandLine parse_psf_options(int argc, const char* const* argv);

/// Parses the options of `srcextract difference`. In the result, `inputs` are the new images, and `reference` is the
/// image to subtract or a directory of reference images. Throws Error{config} if the arguments are invalid.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
