#pragma once

#include <cstdint>
#include <vector>

#include "stages/difference/fit/find_peaks.hpp"

namespace srcextract {

/// A star of one frame and a star of the other may be the same star if they are at most this many pixels apart along
/// each axis.
inline constexpr std::int64_t shared_within = 4;

/// Returns the fraction of the brightest stars of one frame that the other frame also has. The fraction is computed for
/// each frame, and the larger fraction is returned, since a deeper frame has stars that the other lacks. Expected
/// chance matches are subtracted, so frames of different fields give about 0, and frames of the same stars 1.
///
/// `reference` and `fresh` must be the results of find_stars() for the two frames, the brightest first. The 200
/// brightest stars of each frame are compared with all stars of the other. `pixels` is the number of pixels of a frame.
double share_of_shared_stars(const std::vector<Peak>& reference, const std::vector<Peak>& fresh, std::int64_t pixels);

}  // namespace srcextract
