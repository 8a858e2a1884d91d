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
  float value;  ///< above the sky
  std::int64_t x, y;
};

/// Returns the pixels above `threshold` that are the largest within 15 x 15 pixels, after smoothing by a Gaussian of
/// sigma 1.3. The first of equal pixels counts. The brightest peak is first, equal ones are in raster order. Bad pixels
/// count as sky.
std::vector<Peak> find_peaks(const LevelledFrame& frame, float threshold, const Cpu& where);
std::vector<Peak> find_peaks(const Image<float, Gpu>& image, const FrameLevel& level, float threshold,
                             const Gpu& where);

/// Calls find_peaks() for a frame, on the host or for a copy of the frame on a GPU.
using FindPeaks = std::function<std::vector<Peak>(const LevelledFrame& frame, float threshold)>;

}  // namespace srcextract
