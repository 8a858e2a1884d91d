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
  double detection = 0;   ///< pixels strictly above this level belong to a source
  double background = 0;  ///< subtracted from every pixel when sources are measured
  double sigma = 0;       ///< noise of a pixel, if all pixels have the same noise
  /// Used if pixels have different noise: a pixel belongs to a source if its value is above zero_point + in_noise times
  /// its noise.
  double zero_point = 0, in_noise = 0;
  double noise_scale = 1;  ///< factor by which the rms of a pixel, given by a map, is multiplied to get its noise
  /// The level for the analysis threshold (ANALYSIS_THRESH of SExtractor), if all pixels have the noise `sigma`. If
  /// infinite, the analysis threshold is the same as the detection threshold.
  double analysis = std::numeric_limits<double>::infinity();
  double analysis_in_noise = 0;  ///< as in_noise, but for the analysis threshold; used if `analysis` is finite
  double filtered =
      0;  ///< noise of a pixel of the image in which sources are found; 0 if thresholds do not count in it

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

/// Computes the levels for a threshold in units of config.detection.threshold_unit
/// (stages/detect/detection_levels.hpp). `background` is the background of the measured image, `detected` that of the
/// image in which sources are found. `detected` is used only if the unit is detection_sigma. The detection level
/// is infinite, so that no pixel is above the level, if every pixel is masked or if a sigma that thresholds need is 0.
Value<Levels, Cpu> resolve_levels(const Value<Background, Cpu>& background, const Value<Background, Cpu>& detected,
                                  double threshold, const Settings& config, const Cpu& where);
Value<Levels, Gpu> resolve_levels(const Value<Background, Gpu>& background, const Value<Background, Gpu>& detected,
                                  double threshold, const Settings& config, const Gpu& where);

/// Computes the levels for the configured threshold, if sources are found and measured in the same image.
template <class Where>
Value<Levels, Where> resolve_levels(const Value<Background, Where>& background, const Settings& config,
                                    const Where& where) {
  return resolve_levels(background, background, config.detection.threshold, config, where);
}

/// Throws NoSky, an Error{input}, if every pixel is masked. Also throws NoSky if the settings need the sky level or the
/// noise, but in every mesh more than half of the pixels are masked. Also throws NoSky if the settings need the noise,
/// but sigma is 0.
void check_background(const Background& background, const Settings& config);

/// Throws NoSky if thresholds are in units of a sigma that is 0, so that no pixel can be above them. For images that
/// check_background() accepts, that is the sigma of the filtered image if the noise of single pixels was given.
void check_levels(const Levels& levels, const Background& background, const Settings& config);

/// Finds the runs (maximal stretches of a row) of pixels strictly above `levels.detection`. Masked pixels are never in
/// a run. If the image's rows are computed on demand and `near` is not null, lists only runs that share a pixel with a
/// run of `near`, since all runs may take too much memory.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where,
                    const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where);

/// As find_runs() above. `bright` says which parts of the image may have pixels above the level. A device reads only
/// these parts; the host ignores `bright`.
inline Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const BrightQuads<Cpu>&,
                           const Cpu& where, const Runs<Cpu>* near = nullptr) {
  return find_runs(image, levels, where, near);
}
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const BrightQuads<Gpu>& bright,
                    const Gpu& where);

/// Finds the runs of pixels strictly above levels.zero_point + levels.in_noise * rms, computed in double and rounded
/// once to float. rms is the noise that the mesh gives for the pixel, times levels.noise_scale.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const SkyMesh<Cpu>& noise,
                    const Cpu& where, const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const SkyMesh<Gpu>& noise,
                    const Gpu& where);

/// As above, with the noise from the variance of each pixel, in a map of the image's shape. The square root of the
/// variance (in float), times levels.noise_scale, is the pixel's noise. Pixels that are masked in the map are in no
/// run.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Image<float, Cpu>& variance,
                    const Cpu& where, const Runs<Cpu>* near = nullptr);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Image<float, Gpu>& variance,
                    const Gpu& where);

}  // namespace srcextract
