#pragma once

#include "pipeline/options/merge_options.hpp"

namespace srcextract {

/// Runs `srcextract merge`. Returns the exit code.
int run_merge(const MergeCommand& command);

}  // namespace srcextract
