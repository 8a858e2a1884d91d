#pragma once

#include "pipeline/options/sextractor_options.hpp"

namespace srcextract {

/// Runs `srcextract sextractor` with SExtractor's options, and returns the exit code. Throws Error{config}, before
/// anything is written, for functions of SExtractor that are missing here.
int run_sextractor(const SextractorOptions& options);

}  // namespace srcextract
