#pragma once

#include "config/config.hpp"
#include "pipeline/chain/extracted_noise.hpp"
#include "pipeline/chain/extraction.hpp"

namespace srcextract {

/// Finds islands in the negated map and fits Gaussians to them. Sky level, noise and thresholds are those of the map
/// itself. `extraction` has been fitted.
FittedIslands fit_negative(const Extraction& extraction, const ExtractedNoise& noise, const Config& config,
                           const Cpu& where);

}  // namespace srcextract
