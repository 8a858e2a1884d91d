#pragma once

#include <span>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/extraction.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Whether the segmentation must be kept: for an output, for a map of flags, for the fit of Gaussians, or because the
/// caller set Config::Kept::segmentation.
bool keeps_segmentation(const Config& config);

/// Whether outputs or the fit of Gaussians need images, besides the catalogue.
bool keeps_images(const Config& config);

/// Whether an output or the fit of Gaussians needs pixel values. If so, `found.above` and `found.image` must be in host
/// memory when make_catalog() is called. If the sky is one level, `found.above` must be the image before that level is
/// subtracted; make_catalog() subtracts it.
bool shows_pixels(const Config& config);

/// Whether a check image shows the pixels above the threshold. If so, make_catalog() needs the runs before the
/// morphological operation and before deblending in host memory.
bool shows_foreground(const Config& config);

/// Whether an output or the fit of Gaussians needs the noise from a weight map, or the caller set Config::Kept::sky and
/// there is such a map. The caller then fills CheckData::variance.
bool shows_variance(const Config& config);

/// Dual-image mode: throws Error{input} if the image in which sources were found has no usable background. `shape`:
/// shape of that image.
void check_detection_image(const FoundSky& in, const Shape& shape);

/// The last stage, on the CPU for both back ends: makes the catalogue from the results for an image of the given shape.
/// Moves results out of `found`. `sums` replaces `found.sums` and may be in other memory. Throws Error{input} if the
/// image has no usable background.
Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock);

}  // namespace srcextract
