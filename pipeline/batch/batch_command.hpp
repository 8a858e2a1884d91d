#pragma once

#include "pipeline/options/batch_options.hpp"

namespace srcextract {

/// Runs `srcextract batch` and returns its exit code. Throws what keeps the whole of it from going on.
int run_batch(const BatchOptions& options);

}  // namespace srcextract
