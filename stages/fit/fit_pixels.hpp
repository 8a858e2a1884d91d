#pragma once

#include <vector>

#include "stages/fit/fit_block.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// Sets `to` to the pixels to which the Gaussians `of` of an island are fitted: unmasked pixels within `radius` full
/// widths at half maximum of the centre of a Gaussian. Pixels of other islands are left out. Pixels below the threshold
/// are used too, since without them fitted sizes would be biased. Around each Gaussian, the ellipse has an area of at
/// least 14 pixels. Returns false if `to` already had these pixels.
bool choose_pixels(const FitMap& map, const FitIsland& island, const std::vector<Fitted>& of, double radius,
                   FitPixels& to);

}  // namespace srcextract
