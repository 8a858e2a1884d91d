#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Fits Gaussians to the islands (connected groups of pixels above the threshold) of an extraction, on the CPU for both
/// back ends. make_catalog() must have kept the segmentation and the images, as it does if fits_gaussians(config).
void fit_sources(const Config& config, const Cpu& where, Extraction& extraction);

/// Frees the segmentation and the images that only fit_sources() needed and no output needs.
void drop_fitted_images(const Config& config, Extraction& extraction);

}  // namespace srcextract
