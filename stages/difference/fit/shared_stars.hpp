#pragma once

#include <cstdint>
#include <vector>

#include "stages/difference/fit/find_peaks.hpp"

namespace srcextract {

/// Stars within so many pixels of one another, along both axes, may be one star.
inline constexpr std::int64_t shared_within = 4;

/// The share of the brightest stars of one frame that the other frame has, too. Each frame has such a share. The result
/// is the larger one, since the deeper frame has stars that the other lacks. The expected number of chance matches is
/// subtracted, so two frames of different skies have a share near 0, and two frames of the same stars a share of 1.
///
/// Stars are the peaks of each frame (find_stars), brightest first, of which the 200 brightest are looked for. `pixels`
/// is the number of pixels of a frame.
double share_of_shared_stars(const std::vector<Peak>& reference, const std::vector<Peak>& fresh, std::int64_t pixels);

}  // namespace srcextract
