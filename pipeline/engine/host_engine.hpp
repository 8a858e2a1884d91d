#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The pipeline on the host, from stored pixels to the catalogue. CudaExtractor (pipeline/engine/extractor.hpp) is its
/// twin. With `sources`, these are measured in the exposure and nothing is detected; the exposure must have the shape
/// of their detection image. Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {}, const FoundElsewhere<Cpu>* sources = nullptr);

/// Detects the sources of an image with the image's own configuration, for measurement in other images. The image must
/// outlive the result. Throws what the stages throw.
FoundElsewhere<Cpu> find_on_host(const DetectionImage& image, const Cpu& where, const Observer& observer = {});

/// Measures light at given positions, without detection (measure_positions): one row for each, in their order. `config`
/// is a forced_config.
Extraction measure_on_host(const Exposure& exposure, const Config& config, const ForcedPositions& positions,
                           const Cpu& where, const Observer& observer = {});

}  // namespace srcextract
