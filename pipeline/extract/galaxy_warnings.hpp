#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Adds warnings about fits of galaxies: if the PSF is cut where stars still have light, if its samples are too coarse,
/// if most bright sources are not as their models, or if galaxies are larger than the largest box. `config`:
/// configuration resolved for the image, with the PSF.
void warn_of_galaxies(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
