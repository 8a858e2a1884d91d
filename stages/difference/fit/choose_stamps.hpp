#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/fit/frame_pixel.hpp"

namespace srcextract {

/// A frame with its sky, its noise, and the limit from which pixels are saturated.
struct LevelledFrame {
  const Image<float, Cpu>& image;
  FrameLevel level;

  ImageView view() const { return {image.pixels.data(), image.shape}; }
};

/// The middle pixel of a stamp: a square around a bright star or galaxy, to which the kernel is fitted.
struct Stamp {
  std::int64_t x = 0, y = 0;
};

/// The stamps of a pair of frames.
struct Stamps {
  std::vector<Stamp> chosen;    ///< in raster order
  std::int64_t candidates = 0;  ///< peaks that were bright enough
  std::int64_t refused = 0;     ///< number of candidates near an edge, a saturated pixel or a masked 4 x 4 square
};

/// How far the surroundings of a stamp's middle must be usable, in pixels along either axis.
struct StampReach {
  std::int64_t margin;  ///< to the edges of the frame
  std::int64_t around;  ///< without saturated pixels and masked 4 x 4 squares
};

/// Returns the local maxima of a frame within 15 x 15 pixels after a Gaussian of sigma 1.3, above 10 times the noise of
/// the sky, brightest first (find_peaks).
std::vector<Peak> find_stars(const LevelledFrame& frame, const FindPeaks& find);

/// Chooses stamps around the brightest of the `stars` found in the frame `bright`: at most three in each cell of the
/// frame, and none nearer than 9 pixels to another. Cells spread stamps over the field, and bright stars show the core
/// of the kernel. Stars must be above 20 times the noise of the sky, or above 10 times if that leaves fewer than 20
/// stamps.
///
/// A stamp is refused if either frame has a saturated pixel or a masked 4 x 4 square within reach.around of it.
/// Fewer masked pixels are allowed, for pixels near them get no weight in the fit. Otherwise masks of a few pixels in a
/// thousand would leave no stamps.
Stamps choose_stamps(const LevelledFrame& bright, const std::vector<Peak>& stars, const LevelledFrame& other,
                     StampReach reach, const Cpu& where);

}  // namespace srcextract
