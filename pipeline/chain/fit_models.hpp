#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Fits profiles of galaxies to the sources of an extraction and adds their columns, on the CPU for both back ends.
/// make_catalog() must have kept the segmentation and the images, as it does if fits_galaxies(config). The PSF must be
/// among the configuration's resources.
void fit_models(const Config& config, const Cpu& where, Extraction& extraction);

}  // namespace srcextract
