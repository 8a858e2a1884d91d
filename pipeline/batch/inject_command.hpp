#pragma once

#include "pipeline/options/inject_options.hpp"

namespace srcextract {

/// `srcextract inject`. Returns the exit code. Throws Error{config} if the configuration fits no Gaussians.
int run_inject(const InjectCommand& command);

}  // namespace srcextract
