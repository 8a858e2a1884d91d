#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Warns of a crowded-field fit whose saturation is not above the sky, whose PSF model ends too close to its centre, or
/// whose noise lacks the photons of stars. `config` is the image's.
void warn_of_crowd(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
