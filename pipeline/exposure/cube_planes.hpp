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

namespace srcextract {

/// A plane of a radio cube with its beam.
struct BeamPlane {
  CubePlane at;
  std::optional<SkyBeam> beam;
  std::string problem;  ///< why the plane cannot be used; empty: it can
};

/// Finds the beam of each plane. If one plane's beam comes from the table BEAMS, the others' beams must come from that
/// table too.
std::vector<BeamPlane> find_plane_beams(const FitsImage& image, const std::string& path, const BeamConfig& config,
                                        const std::vector<CubePlane>& planes);

/// Names a plane for messages: "channel 3 (plane 7, 1.4 GHz)".
std::string name_of(const CubePlane& plane);

/// Reads a plane. Exact zeros at its border are masked.
Pixels<Cpu> read_cube_plane(const FitsImage& image, std::int64_t plane, const Cpu& where);

/// Sets `problem` of planes whose noise exceeds three times the median of all. `noise`: per plane; 0: none.
void leave_out_noisy(const std::vector<double>& noise, std::vector<BeamPlane>& planes);

/// A sum of channels, each weighed by the inverse of its noise variance.
struct CombinedChannels {
  PixelSource image;  ///< the sum; planes are read and added whenever this is read
  std::vector<std::int64_t> planes;
  std::vector<double> weights;
  std::vector<std::string> left_out;  ///< channels that were left out, with the reason
};

/// Combines channels of Stokes I, or the given `planes` if there are any. Leaves out planes without noise, without a
/// beam (unless none has one), or with more than three times the median noise. One sky level per plane is subtracted.
/// Reads one plane at a time to measure its noise; reading the result reads rows of all planes. Throws Error{input} if
/// no plane can be used, or if pixels are in K.
CombinedChannels combine_channels(const FitsImage& image, const std::string& path, const BeamConfig& beam,
                                  const BackgroundConfig& background, const std::vector<std::int64_t>& planes);

}  // namespace srcextract
