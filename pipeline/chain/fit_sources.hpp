#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"
#include "stages/settings/beams_at.hpp"

namespace srcextract {

/// Fits Gaussians to the islands (connected groups of pixels above the threshold) of an extraction, on the CPU for both
/// back ends. make_catalog() must have kept the segmentation and the images, as it does if fits_gaussians(config).
/// Where sources fainter than the sky were found, too, their Gaussians have negative fluxes.
void fit_sources(const Config& config, const BeamsAt& beams_at, const Cpu& where, Extraction& extraction);

/// Frees the segmentation and the images that only fit_sources() or fit_models() needed and no output needs.
void drop_fitted_images(const Config& config, Extraction& extraction);

}  // namespace srcextract
