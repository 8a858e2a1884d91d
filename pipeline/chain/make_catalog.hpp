#pragma once

#include <span>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Whether an output shows which pixels were detected, or a map of flags asks for them.
bool keeps_segmentation(const Config& config);

/// Whether a check image shows pixels: then `found.above` and `found.image` have to be on the host. Without a mesh
/// `above` is to be the image itself, from which make_catalog subtracts the one level.
bool shows_pixels(const Config& config);

/// Whether a check image shows the noise that a map of weights tells: then CheckData::variance is to be filled.
bool shows_variance(const Config& config);

/// Throws Error{input} if the image of that shape in which sources were found has no background to speak of.
void check_detection_image(const FoundSky& in, const Shape& shape);

/// The last stage, on the host for both back ends: from what was found in an image of that shape to the catalogue.
/// Takes only the segmentation out of it; the sums over the sources may lie elsewhere. Throws Error{input} if the image
/// has no background to speak of.
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock);

}  // namespace srcextract
