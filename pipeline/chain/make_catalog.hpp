#pragma once

#include <span>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Dual-image mode: throws Error{input} if the image in which sources were found has no usable background. `shape`:
/// shape of that image.
void check_detection_image(const FoundSky& in, const Shape& shape);

/// The last stage, on the CPU for both back ends: makes the catalogue from the results for an image of the given shape.
/// Moves results out of `found`. `sums` replaces `found.sums` and may be in other memory. Throws Error{input} if the
/// image has no usable background.
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock);

}  // namespace srcextract
