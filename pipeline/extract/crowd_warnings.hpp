#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Adds warnings about a crowded-field fit, in which all stars of the image are fitted at once. Warns if the saturation
/// is not above the sky, if the PSF model ends too close to its centre, or if the gain is unknown. `config`:
/// configuration resolved for the image.
void warn_of_crowd(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
