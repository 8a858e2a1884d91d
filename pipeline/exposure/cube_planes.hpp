#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/image/fits_image.hpp"
#include "io/wcs/beam.hpp"
#include "io/wcs/cube_axes.hpp"
#include "stages/core/exec.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// A plane of a radio cube with its beam.
struct BeamPlane {
  CubePlane at;
  std::optional<SkyBeam> beam;
  std::string problem;  ///< why it cannot be used; empty: it can
};

/// Finds the beam of each plane. If one has it from the table BEAMS, the others must have it from there, too.
std::vector<BeamPlane> find_plane_beams(const FitsImage& image, const std::string& path, const BeamConfig& config,
                                        const std::vector<CubePlane>& planes);

/// Names a plane for messages: "channel 3 (plane 7, 1.4 GHz)".
std::string name_of(const CubePlane& plane);

/// Reads a plane. Exact zeros at its border are masked.
Pixels<Cpu> read_cube_plane(const FitsImage& image, std::int64_t plane, const Cpu& where);

/// Adds a problem to usable planes whose noise (0: none) exceeds three times the median of all.
void leave_out_noisy(const std::vector<double>& noise, std::vector<BeamPlane>& planes);

/// A sum of channels, weighed by the inverse variance of their noise.
struct CombinedChannels {
  PixelSource image;  ///< made of the planes while it is read
  std::vector<std::int64_t> planes;
  std::vector<double> weights;
  std::vector<std::string> left_out;  ///< channels with the reason why they take no part
};

/// Combines channels of Stokes I, or these planes if there are any. Planes without pixels, without a beam, or with more
/// than three times the median noise are left out. A plane's level is that of the whole plane. One plane at a time is
/// read to know its noise, and then rows of all planes where the result is read. Throws Error{input} if no plane can be
/// used.
CombinedChannels combine_channels(const FitsImage& image, const std::string& path, const BeamConfig& beam,
                                  const BackgroundConfig& background, const std::vector<std::int64_t>& planes);

}  // namespace srcextract
