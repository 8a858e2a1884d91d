#pragma once

#include <memory>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The pipeline on the CPU, from stored pixels to the catalogue; CudaExtractor (pipeline/engine/extractor.hpp) is the
/// same on a GPU.
///
/// `sources` (dual-image mode): nothing is detected; these sources are measured in the exposure, which must have the
/// shape of the image in which they were found.
///
/// `positions`: nothing is detected; the light at these positions is measured (measure_positions), with one row for
/// each position, in the same order. `config` must come from forced_config() or crowd_config().
///
/// `row_memory`: only rows of images are in memory, computed on demand in this buffer. `config` must allow that
/// (goes_by_rows), and the exposure must exist as long as images of the result. If null, images are in memory as a
/// whole.
///
/// Throws what the stages throw.
Extraction extract_on_host(const Exposure& exposure, const Config& config, const Cpu& where,
                           const Observer& observer = {}, const FoundElsewhere<Cpu>* sources = nullptr,
                           const ForcedPositions* positions = nullptr,
                           const std::shared_ptr<RowMemory>& row_memory = nullptr);

/// Dual-image mode: finds the sources of an image, with the configuration in `image`, to be measured in other images.
/// `image` must outlive the result. `row_memory`: as for extract_on_host(). Throws what the stages throw.
FoundElsewhere<Cpu> find_on_host(const DetectionImage& image, const Cpu& where, const Observer& observer = {},
                                 const std::shared_ptr<RowMemory>& row_memory = nullptr);

}  // namespace srcextract
