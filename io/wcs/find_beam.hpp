#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/settings/beam.hpp"
#include "stages/settings/beams_at.hpp"
#include "stages/settings/pixel_beam.hpp"

namespace srcextract {

/// The beam of a radio image on the sky: an elliptical Gaussian.
struct SkyBeam {
  double major = 0, minor = 0;          ///< full widths at half maximum, in arcseconds; major >= minor > 0
  double angle = 0;                     ///< position angle of the major axis, in degrees from north through east,
                                        ///< within [0, 180)
  BeamSource origin = BeamSource::any;  ///< where the beam was found
};

/// Returns the origin of a beam for messages, such as "BMAJ, BMIN and BPA of the header".
std::string origin_of(const SkyBeam& beam);

/// Data of an image in which find_beam() looks for a beam.
struct BeamPlaces {
  const std::string& header;               ///< header of the image, 80-column cards
  std::string_view primary_header;         ///< primary header, from which the image inherits keywords
  std::string path = {};                   ///< path of the file, which may have a table BEAMS; or empty
  std::vector<std::int64_t> axes = {};     ///< NAXIS1, NAXIS2, ...
  std::vector<std::int64_t> planes = {1};  ///< planes that are used, numbered from 1 through all axes
                                           ///< above the second
  std::vector<double> weights = {};        ///< weights of the planes in a weighted sum; empty without a sum
};

/// The beam of an image, and warnings for the user.
struct FoundBeam {
  SkyBeam beam;
  std::vector<std::string> warnings = {};
};

/// Finds the beam of an image. If config.source is BeamSource::any, the following places are tried in order; any other
/// source is tried alone.
/// 1. the table BEAMS, which CASA writes with one beam per plane, unless a header has CASAMBM = F; there is a warning
/// if
///    the table cannot be used, or if no header has CASAMBM,
/// 2. BMAJ, BMIN and BPA in the header, in degrees; BPA may be missing if both axes are equal,
/// 3. HISTORY cards of AIPS; the last card that has all three numbers counts.
///
/// If several planes are used, the largest beam counts. For a weighted sum of planes, the result is the Gaussian
/// nearest to the sum of the beams, for a source of spectral index -0.7. If the beams differ by more than 1 %, there is
/// a warning. If the major axis is the smaller, the axes are exchanged, with a warning. If there is no beam, throws
/// Error{input} that names the ways to give one.
FoundBeam find_beam(const BeamConfig& config, const BeamPlaces& places);

/// Converts the beam to pixels of the image. With a zenithal projection (SIN, TAN, ...) the linear part of the WCS
/// gives the size of a pixel: in an image of one pointing, the beam is constant in these projected coordinates. With
/// another projection it is the size at the centre of the image, or at the nearest place that is on the sky. Without a
/// WCS, pixels are squares with sides of `pixel_scale` arcseconds. Adds a warning if the minor axis is shorter than 2.5
/// pixels. Throws Error{input} if the size of a pixel is unknown, or if the major axis is shorter than a pixel or
/// longer than a quarter of the image's shorter side.
PixelBeam beam_in_pixels(const SkyBeam& beam, const std::string& header, const Shape& shape, double pixel_scale,
                         std::vector<std::string>& warnings);

/// Returns the beam at places of an image, where a pixel has another size or shape than for `central`, the result of
/// beam_in_pixels(). The beam on the sky is the same everywhere: its angle counts from the local north, and with a
/// zenithal projection from the north of the reference point, carried along great circles. In a SIN (NCP) map that is
/// not in K, Jy/sr or Jy/pixel, the beam of an interferometer is constant in pixels. The result is empty then, and if
/// no place of the image has a beam that differs by more than 0.1 %.
BeamsAt local_beams(const SkyBeam& beam, const PixelBeam& central, const std::string& header, const Shape& shape);

/// Returns the mean frequency of the planes in Hz, weighted if the planes have weights, from the spectral axis. Without
/// a frequency there, returns RESTFRQ (or the older RESTFREQ), or nothing if the header has neither.
std::optional<double> frequency_of(const BeamPlaces& places);

/// Returns the factor that converts pixel values to Jy/beam. BUNIT may be Jy/beam, Jy/pixel, Jy/sr or K, with any
/// prefix and spelling. If BUNIT is missing or another unit, returns 0 and adds a warning. Throws Error{input} for K if
/// the frequency is unknown. `beam_pixels` is the area of the beam in pixels.
double jansky_per_beam(const SkyBeam& beam, double beam_pixels, const BeamPlaces& places,
                       std::vector<std::string>& warnings);

}  // namespace srcextract
