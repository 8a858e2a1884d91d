#pragma once

#include "stages/core/pixel_map.hpp"
#include "stages/difference/fit/whitening.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// Returns the covariance of the noise in two pixels of a resampled frame, by their offset. The pixels before have
/// independent noise of variance 1. The value in the middle is the variance of a pixel; the sum of all is the variance
/// that a wide mean sees. Both are means over places that are spread over the map. Larger offsets than 20 pixels are
/// left out.
Square resampled_noise(const PixelMap& map, Interpolation interpolation);

}  // namespace srcextract
