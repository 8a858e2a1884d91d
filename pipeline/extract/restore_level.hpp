#pragma once

#include <memory>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// If a given sky level was subtracted, adds it back to the extraction's results:
/// - the summary of the level
/// - BACKGROUND of every source (at the brightest pixel if the central one has no level)
/// - the level of each fitted Gaussian and source
/// - the level that check images and the report show
/// - the brightest pixels
/// Reads a map a second time, on the host: as a whole, or by rows in `row_memory`. Throws the errors of reading it.
void restore_level(const ImageInput& input, const Cpu& where, Extraction& extraction,
                   const std::shared_ptr<RowMemory>& row_memory = nullptr);

}  // namespace srcextract
