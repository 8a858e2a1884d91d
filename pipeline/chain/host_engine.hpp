#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/measure_elsewhere.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The pipeline on the host, from stored pixels to the catalogue; CudaExtractor (cuda/engine/extractor.hpp) is its
/// twin. With a detection image sources are found there, by the configuration that it has, and measured in the
/// exposure, which is of its shape; this has no twin yet. Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {}, const DetectionImage* found_in = nullptr);

/// The same at places that are told, where nothing is found (measure_positions): a row for each, in their order. This
/// has no twin either.
Extraction measure_on_host(const Exposure& exposure, const Config& config, const ForcedPositions& positions,
                           const Cpu& where, const Observer& observer = {});

}  // namespace srcextract
