#pragma once

#include <vector>

#include "stages/fit/fit_block.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// Sets `to` to the pixels that are fitted: unmasked pixels that lie within `radius` full widths of a Gaussian's centre
/// and belong to no other island. They include pixels below the threshold, since a cut would bias sizes. An ellipse
/// with fewer than 14 pixels is enlarged. Returns false if `to` already had these pixels.
bool choose_pixels(const FitMap& map, const FitIsland& island, const std::vector<Fitted>& of, double radius,
                   FitPixels& to);

}  // namespace srcextract
