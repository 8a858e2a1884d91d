#pragma once

#include "stages/difference/fit/choose_stamps.hpp"

namespace srcextract {

/// Stars within so many pixels of one another, along both axes, may be one star.
inline constexpr std::int64_t shared_within = 4;

/// Which share of the brightest stars of one frame is in the other, too: that of the frame with the larger share, as
/// the deeper frame has stars that the other lacks. What chance gives is taken off: 0 means that the stars of one frame
/// lie anywhere in the other, 1 that all are shared.
///
/// Stars are peaks above 10 times the noise (find_peaks), of each frame the 200 brightest.
double share_of_shared_stars(const LevelledFrame& reference, const LevelledFrame& fresh, const Cpu& where);

}  // namespace srcextract
