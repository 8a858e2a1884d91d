#pragma once

#include <cstdint>
#include <string>

#include "stages/core/bright_quads.hpp"
#include "stages/core/image.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/background.hpp"

namespace srcextract {

/// Statistics of a set of pixels: exact count and extremes, exact median, mean and population standard deviation. The
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

/// Results of a mesh (stages/sky/mesh.hpp).
struct MeshFacts {
  std::int64_t width = 0, height = 0;  ///< number of meshes; 0: one level and one noise for the whole image
  std::int64_t bad = 0;                ///< meshes with too many masked pixels
  float least_level = 0, most_level = 0, least_rms = 0, most_rms = 0;  ///< of the nodes

  bool operator==(const MeshFacts&) const = default;
};

/// Sky level and noise of an image.
struct Background {
  Statistics all;         ///< over every pixel that is not masked
  Statistics clipped;     ///< over the pixels that survive the clip: level = clipped.median, noise = clipped.sigma
  double zero_share = 0;  ///< of a sample: the fraction of pixels that are 0. Many are padding that should be masked
  std::int64_t iterations = 0;
  bool converged = false;  ///< the last round clipped nothing; false if max_iterations ended the clip
  MeshFacts mesh;          ///< of an estimate by meshes; the statistics then have only level, noise and all.count

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

/// Kappa-sigma clip about the median. Keeps median - kappa sigma < pixel < median + kappa sigma (strict, both of the
/// current set). Repeats on the kept pixels until no pixel is clipped. A set of equal pixels (sigma = 0) ends the clip.
/// If every pixel is masked, all.count is 0.
Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                           const Cpu& where);
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where);

/// Estimates the background and leaves `bright` for find_runs.
inline Value<Background, Cpu> estimate_background(const Image<float, Cpu>& image, const BackgroundConfig& config,
                                                  const Cpu& where, BrightQuads<Cpu>&) {
  return estimate_background(image, config, where);
}
Value<Background, Gpu> estimate_background(const Image<float, Gpu>& image, const BackgroundConfig& config,
                                           const Gpu& where, BrightQuads<Gpu>& bright);

}  // namespace srcextract
