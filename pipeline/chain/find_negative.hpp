#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Finds islands (connected groups of pixels above the threshold) in the negated map and fits Gaussians to them.
/// Sources in the negated map are false, and their number shows how reliable the sources of the map are.
///
/// Sky level, noise and thresholds are those of the map itself. `extraction` must contain the fit of the map.
FittedIslands fit_negative(const Extraction& extraction, const ExtractedNoise& noise, const Config& config,
                           const Cpu& where);

}  // namespace srcextract
