#pragma once

#include "pipeline/options/status_options.hpp"

namespace srcextract {

/// Runs `srcextract status` and returns its exit code.
int run_status(const StatusCommand& command);

}  // namespace srcextract
