#pragma once

#include <cstdint>
#include <string>

#include "stages/core/bright_quads.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// Statistics of a set of pixels. Count, extremes and median are exact; sigma is the population standard deviation. The
/// median of an even count is the mean of the two middle values. Mean and deviation come from the exact sums of
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

/// Summary of an estimate of the sky in meshes (stages/sky/mesh.hpp).
struct MeshFacts {
  std::int64_t width = 0, height = 0;  ///< number of meshes along x and y; 0: one level and noise for the whole image
  std::int64_t bad = 0;                ///< meshes with too many masked pixels
  float least_level = 0, most_level = 0, least_rms = 0, most_rms = 0;  ///< of the nodes

  bool operator==(const MeshFacts&) const = default;
};

/// Sky level and noise of an image.
struct Background {
  Statistics all;         ///< over every pixel that is not masked
  Statistics clipped;     ///< over the pixels that survive the clip: its median is the sky level, its sigma the noise
  double zero_share = 0;  ///< fraction of a sample's pixels that are 0; many zeros are padding that should be masked
  std::int64_t iterations = 0;
  bool converged = false;  ///< the last round clipped no pixel; false if max_iterations ended the clip
  MeshFacts mesh;          ///< set by an estimate in meshes; `all` and `clipped` then have only level, noise and count

  bool operator==(const Background&) const = default;
};

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

/// Estimates sky level and noise by a kappa-sigma clip about the median. A round keeps the pixels with median - kappa
/// sigma < pixel < median + kappa sigma, with median and sigma of the current set. Repeats on the kept pixels until no
/// pixel is clipped, or config.max_iterations rounds are done. A set of equal pixels (sigma = 0) ends the clip. If
/// every pixel is masked, all.count is 0.
Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                           const Cpu& where);
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where);

/// Estimates the background as above. On a device the clip also finds quads of pixels that may be above the threshold,
/// for find_runs.
inline Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                                  const Cpu& where, BrightQuads<Cpu>&) {
  return estimate_background(image, config, where);
}
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where, BrightQuads<Gpu>& bright);

}  // namespace srcextract
