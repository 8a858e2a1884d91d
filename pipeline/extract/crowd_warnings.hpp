#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Warns of a crowded-field fit if the saturation is not above the sky, the PSF model ends too close to its centre, or
/// the gain is unknown. `config` is the image's.
void warn_of_crowd(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
