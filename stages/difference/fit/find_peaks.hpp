#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

struct LevelledFrame;

/// A local maximum of a smoothed frame.
struct Peak {
  float value;  ///< value of the smoothed frame minus the sky
  std::int64_t x, y;
};

/// Smooths the frame by a Gaussian of sigma 1.3 pixels, and returns the pixels above `threshold` that are the largest
/// in the 15 x 15 pixels around. Of equal pixels in this square, only the first in raster order counts. Peaks are
/// sorted by brightness, the brightest first, and then in raster order. Bad (masked or saturated) pixels are taken as
/// sky.
std::vector<Peak> find_peaks(const LevelledFrame& frame, float threshold, const Cpu& where);
std::vector<Peak> find_peaks(const Image<float, Gpu>& image, const FrameLevel& level, float threshold,
                             const Gpu& where);

/// A function that calls find_peaks(): on the host, or for the copy of the frame in the memory of a GPU.
using FindPeaks = std::function<std::vector<Peak>(const LevelledFrame& frame, float threshold)>;

}  // namespace srcextract
