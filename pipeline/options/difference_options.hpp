#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Whether the arguments are for `srcextract difference`, parsed here and not by parse_command_line.
bool is_difference(int argc, const char* const* argv);

/// The result's one input is the new frame; its `reference` is the other. Throws Error{config} if the arguments make no
/// sense.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
