#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Adds warnings about fits of galaxies: if the PSF is cut where stars still have light, if no photon noise is known,
/// or if many galaxies are larger than the largest box. `config`: configuration resolved for the image, with the PSF.
void warn_of_galaxies(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
