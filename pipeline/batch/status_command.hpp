#pragma once

#include "pipeline/options/status_options.hpp"

namespace srcextract {

/// Runs `srcextract status`. Returns the exit code.
int run_status(const StatusCommand& command);

}  // namespace srcextract
