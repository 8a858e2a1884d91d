#pragma once

#include "pipeline/options/command_line.hpp"

namespace srcextract {

/// Parses the options of `srcextract difference`. In the result, `inputs` are the new images, and `reference` is the
/// image to subtract or a directory of reference images. Throws Error{config} if the arguments are invalid.
CommandLine parse_difference_options(int argc, const char* const* argv);

}  // namespace srcextract
