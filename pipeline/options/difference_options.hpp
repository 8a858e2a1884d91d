#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Parses the options of `srcextract difference`. The result's inputs are the new frames; `reference` is the frame to
/// subtract, or a folder of frames. Throws Error{config} if the arguments make no sense.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
