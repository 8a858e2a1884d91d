#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The pipeline on the host, from stored pixels to the catalogue; CudaExtractor (cuda/engine/extractor.hpp) is its
/// twin. Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {});

}  // namespace srcextract
