#include "stages/detect/detection_levels.hpp"
#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/detect/threshold.hpp"

namespace srcextract {

Value<Levels, Cpu> resolve_levels(const Value<Background, Cpu>& background, const Value<Background, Cpu>& detected,
                                  const Config& config, const Cpu&) {
  return levels_of(*background, *detected, config.detection, config.measurement);
}

void check_background(const Background& background, const Config& config) {
  if (background.all.count == 0) {
    throw Error(ErrorKind::input, "every pixel is masked (NaN, infinite or BLANK): there is no sky to measure");
  }
  if (config.detection.threshold_unit != ThresholdUnit::absolute && background.clipped.sigma == 0) {
    throw Error(ErrorKind::input,
                "the pixels that survive the clip are all equal (" + shortest(background.clipped.median) +
                    "), so sigma is 0 and a threshold in units of sigma means nothing; is this an empty or constant "
                    "image, or the difference of a frame with itself? If not, raise background.kappa, which may clip "
                    "too much, or set "
                    "detection.threshold_unit to absolute");
  }
}

}  // namespace srcextract
