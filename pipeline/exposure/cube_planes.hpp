#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "io/wcs/cube_axes.hpp"
#include "io/wcs/find_beam.hpp"
#include "stages/core/exec.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/background.hpp"
#include "stages/settings/input.hpp"

namespace srcextract {

/// A plane of a radio cube with the beam of its observation.
struct BeamPlane {
  CubePlane at;
  std::optional<SkyBeam> beam;
  std::string problem;  ///< why the plane cannot be used; empty if it can be used
};

/// Finds the beam of each plane. If the beam of any plane comes from the FITS table BEAMS, a plane whose beam comes
/// from elsewhere counts as one without a beam.
std::vector<BeamPlane> find_plane_beams(const FitsImage& image, const std::string& path, const BeamConfig& config,
                                        const std::vector<CubePlane>& planes);

/// Name of a plane for messages, for example "channel 3 (plane 7, 1.4 GHz)".
std::string name_of(const CubePlane& plane);

/// A plane of a radio map. Its padding and blocks of exact zeros are masked (find_padding).
PixelSource cube_plane(const FitsImage& image, std::int64_t plane, const InputConfig& input);

/// Sets `problem` of the planes whose noise is more than three times the median noise. Planes that have a problem
/// already are ignored. `noise`: one value per plane.
void leave_out_noisy(const std::vector<double>& noise, std::vector<BeamPlane>& planes);

/// A weighted mean of channels. The weight of a channel is the inverse of its noise variance.
struct CombinedChannels {
  PixelSource image;  ///< the mean, computed from the planes' rows whenever a row is read
  std::vector<std::int64_t> planes;
  std::vector<double> weights;
  std::vector<std::string> left_out;  ///< messages that name the channels left out, each with the reason
};

/// Combines the channels of Stokes I, or the given `planes` (numbers from 1) if there are any. If the cube has no
/// Stokes I, combines the channels of the first plane's Stokes parameter. Leaves out planes without noise, planes
/// without a beam (unless no plane has a beam), and planes with more than three times the median noise. Subtracts one
/// sky level from each plane.
///
/// To measure the noise, reads one plane at a time. Reading the result reads rows of all planes. Throws Error{input} if
/// no plane can be used, or if the unit of pixels is K.
CombinedChannels combine_channels(const FitsImage& image, const std::string& path, const BeamConfig& beam,
                                  const BackgroundConfig& background, const InputConfig& input,
                                  const std::vector<std::int64_t>& planes);

}  // namespace srcextract
