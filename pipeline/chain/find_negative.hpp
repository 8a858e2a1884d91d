#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Fits the islands of the negated map, which are found with the level, the noise and the thresholds of the map
/// itself. `extraction` has been fitted.
FittedIslands fit_negative(const Extraction& extraction, const ExtractedNoise& noise, const Config& config,
                           const Cpu& where);

}  // namespace srcextract
