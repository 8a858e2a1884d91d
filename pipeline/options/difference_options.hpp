#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Whether the arguments are those of `srcextract difference`, which are parsed here and not by parse_command_line.
bool is_difference(int argc, const char* const* argv);

/// The new frame is the one input, and `reference` the other. Throws Error{config} if the arguments make no sense.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
