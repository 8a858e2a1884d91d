#pragma once

#include <cstdint>
#include <string>

#include "stages/core/bright_quads.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// Statistics of a set of pixels. Count, extremes and median are exact; the median of an even count is the mean of the
/// two middle values. sigma is the population standard deviation. Mean and sigma are computed from the exact sums of
/// stages/sky/deviation_sums.hpp.
struct Statistics {
  std::int64_t count = 0;
  double mean = 0;
  double median = 0;
  double sigma = 0;
  float min = 0;
  float max = 0;

  bool operator==(const Statistics&) const = default;
};

/// Summary of an estimate of the sky in meshes, the cells of a grid over the image (stages/sky/mesh.hpp).
struct MeshFacts {
  std::int64_t width = 0, height = 0;  ///< number of meshes along x and y; 0: the sky was not estimated in meshes
  std::int64_t bad = 0;                ///< number of meshes with too many masked pixels
  float least_level = 0, most_level = 0, least_rms = 0, most_rms = 0;  ///< minimum and maximum over the meshes, after
                                                                       ///< the median filter

  bool operator==(const MeshFacts&) const = default;
};

/// Sky level and noise of an image.
struct Background {
  Statistics all;         ///< of all pixels that are not masked
  Statistics clipped;     ///< of the pixels that clipping keeps: the median is the sky level, and sigma is the noise
  double zero_share = 0;  ///< fraction of zeros in a sample of pixels; many zeros are padding that should be masked
  std::int64_t iterations = 0;
  bool converged = false;  ///< whether clipping ended because no pixel was clipped or sigma was 0; false if
                           ///< max_iterations ended the clipping
  MeshFacts mesh;  ///< for an estimate in meshes; then only median and sigma of `clipped`, all.count, and converged
                   ///< (true) are set besides

  bool operator==(const Background&) const = default;
};

/// The highest sky level that was subtracted from a pixel of an image with this sky. A saturation level that is lowered
/// by it is reached by every saturated pixel, and by others only if they are nearly saturated.
SRCEXTRACT_HOST_DEVICE inline double highest_level(const Background& sky) {
  if (sky.mesh.width == 0) return sky.clipped.median;
  constexpr double overshoot = 0.25;  // of the spline beyond the nodes, relative to their range
  const auto least = static_cast<double>(sky.mesh.least_level), most = static_cast<double>(sky.mesh.most_level);
  return most + overshoot * (most - least);
}

inline void record_fields(const Statistics& set, const std::string& name, FieldRecorder& to) {
  to.value("count " + name, set.count);
  to.value("mean " + name, set.mean);
  to.value("median " + name, set.median);
  to.value("sigma " + name, set.sigma);
  to.value("min " + name, set.min);
  to.value("max " + name, set.max);
}
inline void record_fields(const Background& background, FieldRecorder& to) {
  record_fields(background.all, "of all pixels", to);
  record_fields(background.clipped, "after clipping", to);
  to.value("zero_share", background.zero_share);
  to.value("iterations", background.iterations);
  to.value("converged", background.converged);
  to.value("meshes", background.mesh.width * background.mesh.height);
  to.value("bad meshes", background.mesh.bad);
}

/// Estimates sky level and noise by kappa-sigma clipping about the median. An iteration keeps the pixels with median -
/// kappa sigma < pixel < median + kappa sigma, where median and sigma are those of the current set. Iterations end when
/// no pixel is clipped, when sigma is 0, or after config.max_iterations. If every pixel is masked, all.count is 0.
Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                           const Cpu& where);
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where);

/// Estimates sky level and noise as the overload without `bright` does. On a GPU the clipping also finds quads (groups
/// of 4 consecutive pixels) that may exceed the detection threshold, for find_runs. The CPU version ignores the last
/// argument.
inline Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                                  const Cpu& where, BrightQuads<Cpu>&) {
  return estimate_background(image, config, where);
}
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where, BrightQuads<Gpu>& bright);

}  // namespace srcextract
