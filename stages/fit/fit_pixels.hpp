#pragma once

#include <vector>

#include "stages/fit/fit_block.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// Sets `to` to the pixels that are fitted: those within `radius` full widths of a Gaussian, of no other island, not
/// masked. They are not cut at the island's threshold, which would bias sizes. Too small an ellipse is widened to 14
/// pixels. Returns false if the pixels are the same as before.
bool choose_pixels(const FitMap& map, const FitIsland& island, const std::vector<Fitted>& of, double radius,
                   FitPixels& to);

}  // namespace srcextract
