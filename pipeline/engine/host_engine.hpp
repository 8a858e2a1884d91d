#pragma once

#include <memory>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The pipeline on the host, from stored pixels to the catalogue. CudaExtractor (pipeline/engine/extractor.hpp) is its
/// twin. Nothing is detected with `sources` or `positions`. With `sources`, these are measured in the exposure, which
/// must have the shape of their detection image. With `positions`, the light there is measured (measure_positions): one
/// row for each, in their order, and `config` is a forced_config. With `row_memory`, rows of images are made
/// on demand in that memory, which `config` must allow (goes_by_rows); the exposure must then exist as long as images
/// of the result. Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {}, const FoundElsewhere<Cpu>* sources = nullptr,
                           const ForcedPositions* positions = nullptr,
                           const std::shared_ptr<RowMemory>& row_memory = nullptr);

/// Detects the sources of an image with the image's own configuration, for measurement in other images. The image must
/// outlive the result. `row_memory` is as above. Throws what the stages throw.
FoundElsewhere<Cpu> find_on_host(const DetectionImage& image, const Cpu& where, const Observer& observer = {},
                                 const std::shared_ptr<RowMemory>& row_memory = nullptr);

}  // namespace srcextract
