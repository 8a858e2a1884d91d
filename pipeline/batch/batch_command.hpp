#pragma once

#include "pipeline/options/batch_options.hpp"

namespace srcextract {

/// Runs `srcextract batch`. Returns the exit code. Throws only errors that end the whole run.
int run_batch(const BatchOptions& options);

}  // namespace srcextract
