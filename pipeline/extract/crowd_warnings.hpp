#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Warns of a crowd whose PSF ends too near to its middle, and of noise without the photons of stars. `config` is that
/// of the image.
void warn_of_crowd(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings);

}  // namespace srcextract
