#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Parses the options of `srcextract difference`. The result's only input is the new frame; `reference` is the frame to
/// subtract. Throws Error{config} if the arguments make no sense.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
