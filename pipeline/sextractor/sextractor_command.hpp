#pragma once

#include "pipeline/options/sextractor_options.hpp"

namespace srcextract {

/// Runs `srcextract sextractor` and returns the exit code. Throws Error{config}, before anything is written, if a
/// setting asks for a function of SExtractor that srcextract lacks.
int run_sextractor(const SextractorOptions& options);

}  // namespace srcextract
