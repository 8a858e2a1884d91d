#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Fits Gaussians to the islands of an extraction, on the host for both back ends. Requires the segmentation and the
/// images of make_catalog, which that function keeps if fits_gaussians(config).
void fit_sources(const Config& config, const Cpu& where, Extraction& extraction);

/// Drops segmentation and images that no output needs.
void drop_fitted_images(const Config& config, Extraction& extraction);

}  // namespace srcextract
