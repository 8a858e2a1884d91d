#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Fits Gaussians to the islands of an extraction, on the host for both back ends. Requires the segmentation and the
/// images of make_catalog, which are there if fits_gaussians(config). Drops those that no output needs.
void fit_sources(const Config& config, const Cpu& where, Extraction& extraction);

}  // namespace srcextract
