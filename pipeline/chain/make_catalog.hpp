#pragma once

#include <span>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Whether the segmentation must be kept: for an output, a map of flags, the fit of Gaussians, or the caller
/// (Config::Kept).
bool keeps_segmentation(const Config& config);

/// Whether outputs or the fit of Gaussians need images beside the catalogue.
bool keeps_images(const Config& config);

/// Whether an output or the fit of Gaussians needs pixel values. If so, `found.above` and `found.image` must be on the
/// host when make_catalog is called. Without a mesh, `above` must be the image itself, from which make_catalog
/// subtracts the level.
bool shows_pixels(const Config& config);

/// Whether a check image shows the pixels above the threshold. If so, the runs before morphology and before deblending
/// must be on the host.
bool shows_foreground(const Config& config);

/// Whether an output or the fit of Gaussians needs the noise from a map of weights. The caller then fills
/// CheckData::variance.
bool shows_variance(const Config& config);

/// Throws Error{input} if the image of this shape in which sources were found has no usable background.
void check_detection_image(const FoundSky& in, const Shape& shape);

/// The last stage, on the host for both back ends: makes the catalogue from the results for an image of this shape.
/// Moves results out of `found`; `sums` may lie elsewhere. Throws Error{input} if the image has no usable background.
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock);

}  // namespace srcextract
