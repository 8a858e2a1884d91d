#pragma once

#include "pipeline/options/sextractor_options.hpp"

namespace srcextract {

/// Does what SExtractor would be asked for by these options (`srcextract sextractor`), and returns the exit code.
/// Throws Error{config} for what is done by SExtractor and not here, before anything is written.
int run_sextractor(const SextractorOptions& options);

}  // namespace srcextract
