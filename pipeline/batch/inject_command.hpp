#pragma once

#include "pipeline/options/inject_options.hpp"

namespace srcextract {

/// Runs `srcextract inject`, which measures how many artificial Gaussian sources are found again. Returns the exit
/// code. Throws Error{config} if the configuration fits no Gaussians.
int run_inject(const InjectCommand& command);

}  // namespace srcextract
