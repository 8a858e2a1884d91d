#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/fit/frame_pixel.hpp"
#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// A frame with its sky, its noise, the limit from which pixels are saturated, and its PSF.
struct LevelledFrame {
  const Image<float, Cpu>& image;
  FrameLevel level;
  const std::vector<double>* psf = nullptr;  ///< FrameLight::psf
  const Square* shared = nullptr;            ///< FrameLight::shared

  ImageView view() const { return {image.pixels.data(), image.shape}; }
};

/// The middle pixel, counted from 0, of a stamp. A stamp is a square of pixels around a bright star or galaxy, to which
/// the kernel is fitted.
struct Stamp {
  std::int64_t x = 0, y = 0;
};

struct Stamps {
  std::vector<Stamp> chosen;    ///< in raster order
  std::int64_t candidates = 0;  ///< number of peaks above the threshold
  std::int64_t refused = 0;     ///< candidates near an edge, a saturated pixel or a 4 x 4 square of masked pixels
};

/// Requirements on the surroundings of a stamp's middle pixel, as distances in pixels along either axis.
struct StampReach {
  std::int64_t margin;  ///< least distance to the edges of the frame
  std::int64_t around;  ///< distance within which there must be no saturated pixel and no 4 x 4 square of masked pixels
};

/// Returns the peaks of a frame (find_peaks) above 10 times the noise of the sky.
std::vector<Peak> find_stars(const LevelledFrame& frame, const FindPeaks& find);

/// Chooses stamps around the brightest of `stars`, the result of find_stars() for the frame `bright`. At most three
/// stamps are chosen in each cell of a grid over the frame, so that stamps are spread over the field. No two stamps are
/// less than 9 pixels apart along both axes. Stars must be above 20 times the noise of the sky, or above 10 times if 20
/// times leaves fewer than 20 stamps.
///
/// No stamp is chosen where either frame has a saturated pixel or a 4 x 4 square of masked pixels within reach.around.
/// Smaller groups of masked pixels are allowed, because the fit gives no weight to pixels near them. If every masked
/// pixel excluded a stamp, masks of a few pixels in a thousand would leave no stamps.
Stamps choose_stamps(const LevelledFrame& bright, const std::vector<Peak>& stars, const LevelledFrame& other,
                     StampReach reach, const Cpu& where);

}  // namespace srcextract
