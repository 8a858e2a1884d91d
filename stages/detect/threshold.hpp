#pragma once

#include "config/config.hpp"
#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/core/value.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// The levels that detection and measurement use, in pixel units.
struct Levels {
  double detection = 0;   ///< a pixel belongs to a source if it is strictly greater
  double background = 0;  ///< subtracted from every pixel that is measured
  double sigma = 0;       ///< noise of one pixel

  bool operator==(const Levels&) const = default;
};

inline void record_fields(const Levels& levels, FieldRecorder& to) {
  to.value("detection level", levels.detection);
  to.value("background level", levels.background);
  to.value("noise of a pixel", levels.sigma);
}

/// What the configuration means on an image with this background (stages/detect/detection_levels.hpp); `detected` is
/// that of the image in which sources are found, looked at for thresholds in detection_sigma alone. Nothing is above
/// the detection level of a background that check_background refuses.
Value<Levels, Cpu> resolve_levels(const Value<Background, Cpu>& background, const Value<Background, Cpu>& detected,
                                  const Config& config, const Cpu& where);
Value<Levels, Gpu> resolve_levels(const Value<Background, Gpu>& background, const Value<Background, Gpu>& detected,
                                  const Config& config, const Gpu& where);

/// The same where sources are found in the image itself.
template <class Where>
Value<Levels, Where> resolve_levels(const Value<Background, Where>& background, const Config& config,
                                    const Where& where) {
  return resolve_levels(background, background, config, where);
}

/// Throws Error{input} if every pixel is masked, or the threshold is in units of a sigma that is 0.
void check_background(const Background& background, const Config& config);

/// Segments the image: every pixel strictly greater than `levels.detection`. Masked pixels never are.
Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where);
Runs<Gpu> find_runs(const Image<float, Gpu>& image, const Value<Levels, Gpu>& levels, const Gpu& where);

}  // namespace srcextract
