#pragma once

#include <memory>

#include "pipeline/extract/extract_image.hpp"

namespace srcextract {

/// If a sky level that the user gave was subtracted, adds that level to the results of the extraction:
/// - sets Extraction::given_level
/// - BACKGROUND of every source, with the level at its centre, or at its brightest pixel if the level is masked at its
/// centre
/// - the level of each fitted Gaussian and source
/// - the level that check images and the report show
/// - the values of the brightest pixels
/// Reads a map of the level a second time, on the host: as a whole, or by rows in `row_memory`. Throws the errors of
/// reading the map.
void restore_level(const ImageInput& input, const Cpu& where, Extraction& extraction,
                   const std::shared_ptr<RowMemory>& row_memory = nullptr);

}  // namespace srcextract
