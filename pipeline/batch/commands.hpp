#pragma once

#include "pipeline/options/batch_options.hpp"
#include "pipeline/options/command_line.hpp"
#include "pipeline/options/inject_options.hpp"
#include "pipeline/options/merge_options.hpp"
#include "pipeline/options/status_options.hpp"

namespace srcextract {

/// Runs `srcextract [CONFIG] IMAGE...`, `srcextract difference` or `srcextract psf`. Returns the exit code. Throws only
/// errors that end the whole run.
int run_images(const CommandLine& command);

/// Runs `srcextract batch`. Returns the exit code. Throws only errors that end the whole run.
int run_batch(const BatchOptions& options);

/// Runs `srcextract inject`, which measures how many artificial Gaussian sources are found again. Returns the exit
/// code. Throws Error{config} if the configuration fits no Gaussians.
int run_inject(const InjectCommand& command);

/// Runs `srcextract merge`. Returns the exit code.
int run_merge(const MergeCommand& command);

/// Runs `srcextract status`. Returns the exit code.
int run_status(const StatusCommand& command);

}  // namespace srcextract
