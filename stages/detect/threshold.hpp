#pragma once

#include <cmath>
#include <limits>

#include "stages/core/bright_quads.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/settings/settings.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// The levels for detection and measurement, in pixel values.
struct Levels {
  double detection = 0;   ///< pixels strictly above it belong to a source
  double background = 0;  ///< subtracted from every pixel that is measured
  double sigma = 0;       ///< noise of one pixel
  /// Used if the noise of every pixel is known: a pixel then belongs to a source if it is above zero_point + in_noise
  /// times its noise.
  double zero_point = 0, in_noise = 0;
  double noise_scale = 1;  ///< factor that converts the root of a pixel's variance to its noise
  /// The analysis threshold for the noise of the image as a whole; infinite: the same as `detection`.
  double analysis = std::numeric_limits<double>::infinity();
  double analysis_in_noise = 0;  ///< for the analysis threshold, as in_noise; used if `analysis` is finite

  bool operator==(const Levels&) const = default;
};

inline void record_fields(const Levels& levels, FieldRecorder& to) {
  to.value("detection level", levels.detection);
  to.value("background level", levels.background);
  to.value("noise of a pixel", levels.sigma);
  to.value("level above which noise counts", levels.zero_point);
  to.value("detection level in units of noise", levels.in_noise);
  to.value("scale of the noise", levels.noise_scale);
  if (!std::isfinite(levels.analysis)) return;
  to.value("analysis level", levels.analysis);
  to.value("analysis level in units of noise", levels.analysis_in_noise);
}

/// Computes the levels for a threshold in the configuration's units on an image with this background
/// (stages/detect/detection_levels.hpp). `detected` is the background of the image in which sources are found; only
/// thresholds in detection_sigma use it. If check_background would refuse the background, the detection level is above
/// all pixels.
Value<Levels, Cpu> resolve_levels(const Value<Background, Cpu>& background, const Value<Background, Cpu>& detected,
                                  double threshold, const Settings& config, const Cpu& where);
Value<Levels, Gpu> resolve_levels(const Value<Background, Gpu>& background, const Value<Background, Gpu>& detected,
                                  double threshold, const Settings& config, const Gpu& where);

/// The levels for the configured threshold, if sources are found in the measured image itself.
template <class Where>
Value<Levels, Where> resolve_levels(const Value<Background, Where>& background, const Settings& config,
                                    const Where& where) {
  return resolve_levels(background, background, config.detection.threshold, config, where);
}

/// Throws NoSky, an Error{input}, if every pixel is masked. Also throws it if the level or the noise is needed and
/// unknown: no mesh is good, or sigma is 0.
void check_background(const Background& background, const Settings& config);

/// Finds the runs of pixels strictly above `levels.detection`. Masked pixels are never in a run. `near`: where rows are
/// made on demand, only runs that share a pixel with one of these are listed, as memory for all runs may be short.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where,
                    const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where);

/// As find_runs() above. With the bright pixels known, a device reads only the parts of the image that may be above the
/// level.
inline Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const BrightQuads<Cpu>&,
                           const Cpu& where, const Runs<Cpu>* near = nullptr) {
  return find_runs(image, levels, where, near);
}
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const BrightQuads<Gpu>& bright,
                    const Gpu& where);

/// Finds the runs of pixels strictly above levels.zero_point + levels.in_noise * rms, computed in double and rounded
/// once to float. rms is the noise of the mesh at the pixel, times levels.noise_scale.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const SkyMesh<Cpu>& noise,
                    const Cpu& where, const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const SkyMesh<Gpu>& noise,
                    const Gpu& where);

/// Finds runs by the variance of each pixel, given in a map of the image's shape. The root of the variance (in float),
/// times levels.noise_scale, is the pixel's noise. Pixels that are masked in the map are in no run.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Image<float, Cpu>& variance,
                    const Cpu& where, const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Image<float, Gpu>& variance,
                    const Gpu& where);

}  // namespace srcextract
