#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/settings/beam.hpp"
#include "stages/settings/pixel_beam.hpp"

namespace srcextract {

/// A beam on the sky: an elliptical Gaussian.
struct SkyBeam {
  double major = 0, minor = 0;          ///< full widths at half maximum, in arcseconds; major >= minor > 0
  double angle = 0;                     ///< position angle of the major axis, in degrees from north through east,
                                        ///< within [0, 180)
  BeamSource origin = BeamSource::any;  ///< where it was found
};

/// The origin for messages: "BMAJ, BMIN and BPA of the header".
std::string origin_of(const SkyBeam& beam);

/// Where a beam is looked for.
struct BeamPlaces {
  const std::string& header;               ///< of the image, 80-column cards
  std::string_view primary_header;         ///< whose keywords the image inherits
  std::string path = {};                   ///< the file, in which a table BEAMS may be; empty: none
  std::vector<std::int64_t> axes = {};     ///< NAXIS1, NAXIS2, ...
  std::vector<std::int64_t> planes = {1};  ///< numbers of the planes that are used, from 1, counted through all axes
                                           ///< above the second
  std::vector<double> weights = {};        ///< weights of the planes, if a weighted sum was made
};

/// The beam of an image, and what a user should know about it.
struct FoundBeam {
  SkyBeam beam;
  std::vector<std::string> warnings = {};
};

/// Finds the beam. BeamSource::any tries the following places in order; another source tries only its own place.
/// 1. the table BEAMS that CASA writes with one beam a plane, if CASAMBM is T in a header,
/// 2. BMAJ, BMIN and BPA in the header, in degrees,
/// 3. AIPS' cards HISTORY, of which the last counts that has all three numbers.
/// Of several planes the largest beam counts. For a weighted sum of planes it is the Gaussian that is nearest to the
/// sum of their beams for a source of spectral index -0.7. A warning says if the beams differ by more than 1 %. Axes in
/// the wrong order are exchanged, with a warning. Throws Error{input} that names the ways to give a beam if there is
/// none.
FoundBeam find_beam(const BeamConfig& config, const BeamPlaces& places);

/// Converts the beam to pixels of the image. In a zenithal projection (SIN, TAN, ...) the size of a pixel is taken from
/// the linear part of the WCS: the beam of one pointing is constant there. In another projection it is the size at the
/// image's centre. Without a WCS pixels are squares of `pixel_scale` arcseconds. Adds warnings. Throws Error{input} if
/// the size of a pixel is unknown, or if the beam is smaller than a pixel or larger than a quarter of the image.
PixelBeam beam_in_pixels(const SkyBeam& beam, const std::string& header, const Shape& shape, double pixel_scale,
                         std::vector<std::string>& warnings);

/// The mean frequency of the planes in Hz, from the spectral axis or the keyword RESTFRQ; nothing if the header has
/// neither.
std::optional<double> frequency_of(const BeamPlaces& places);

/// The factor from pixel values to Jy/beam, by the unit in BUNIT: Jy/beam, Jy/pixel, K or MJy/sr, with any prefix and
/// spelling. 0 with a warning if BUNIT is missing or is none of these units. Throws Error{input} for K without a
/// frequency.
double jansky_per_beam(const SkyBeam& beam, double beam_pixels, const BeamPlaces& places,
                       std::vector<std::string>& warnings);

}  // namespace srcextract
