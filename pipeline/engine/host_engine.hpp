#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The pipeline on the host, from stored pixels to the catalogue; CudaExtractor (pipeline/engine/extractor.hpp) is its
/// twin. With `sources` these are measured in the exposure, which is of the shape of the image in which they were
/// found, and nothing is found. Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {}, const FoundElsewhere<Cpu>* sources = nullptr);

/// The sources of an image, by the configuration that it has, to be measured elsewhere; the image must outlive them.
/// Throws what the stages throw.
FoundElsewhere<Cpu> find_on_host(const DetectionImage& image, const Cpu& where, const Observer& observer = {});

/// The same at places that are told, where nothing is found (measure_positions): a row for each, in their order.
Extraction measure_on_host(const Exposure& exposure, const Config& config, const ForcedPositions& positions,
                           const Cpu& where, const Observer& observer = {});

}  // namespace srcextract
