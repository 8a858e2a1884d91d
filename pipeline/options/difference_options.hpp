#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// The result's one input is the new frame; its `reference` is the other. Throws Error{config} if the arguments make no
/// sense.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
