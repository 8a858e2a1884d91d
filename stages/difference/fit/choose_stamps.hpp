#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// A frame with its sky, noise and limit.
struct LevelledFrame {
  const Image<float, Cpu>& image;
  FrameLevel level;

  ImageView view() const { return {image.pixels.data(), image.shape}; }
};

/// The middle of a stamp: a square of pixels around something bright, which tells what the kernel is.
struct Stamp {
  std::int64_t x = 0, y = 0;
};

/// The stamps of a pair of frames.
struct Stamps {
  std::vector<Stamp> chosen;    ///< in raster order
  std::int64_t candidates = 0;  ///< peaks that were bright enough
  std::int64_t refused = 0;     ///< of these, those near an edge, a saturated pixel or a group of masked ones
};

/// The pixels that must be there around the middle of a stamp, along either axis.
struct StampReach {
  std::int64_t margin;  ///< to the edges of the frame
  std::int64_t around;  ///< without bad pixels
};

/// The local maxima of a frame within 15 x 15 pixels after a Gaussian of sigma 1.3, above 10 times the noise of the
/// sky, brightest first (find_peaks).
std::vector<Peak> find_stars(const LevelledFrame& frame, const FindPeaks& find);

/// Chooses the brightest of the `stars` of `bright`, at most three in each cell of the frame: so all of the field is
/// fitted, and the bright stars tell the core of the kernel. They are above 20 times the noise of the sky, or above 10
/// times where that leaves fewer than 20 stamps.
///
/// Within reach of a stamp there is, in neither frame, a saturated pixel or 4 x 4 masked ones.
/// Fewer masked pixels do not harm: where they are felt there is no weight. Without this, masks of a few pixels in a
/// thousand would leave no stamps.
Stamps choose_stamps(const LevelledFrame& bright, const std::vector<Peak>& stars, const LevelledFrame& other,
                     StampReach reach, const Cpu& where);

}  // namespace srcextract
