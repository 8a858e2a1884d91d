#pragma once

#include <cstdint>
#include <vector>

#include "stages/difference/fit/find_peaks.hpp"

namespace srcextract {

/// Two stars up to this many pixels apart along each axis may be the same star.
inline constexpr std::int64_t shared_within = 4;

/// Returns the part of the brightest stars of one frame that the other frame has, too. It is computed for either frame,
/// and the larger part returned, since the deeper frame has stars that the other lacks. The expected number of chance
/// matches is subtracted, so frames of different skies give a part near 0, and frames of the same stars a part of 1.
///
/// Stars are the peaks of each frame (find_stars), brightest first. The 200 brightest are looked for in the other
/// frame. `pixels` is the number of pixels of a frame.
double share_of_shared_stars(const std::vector<Peak>& reference, const std::vector<Peak>& fresh, std::int64_t pixels);

}  // namespace srcextract
