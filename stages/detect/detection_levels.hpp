#pragma once

#include <limits>

#include "config/config.hpp"
#include "stages/core/host_device.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// What the configuration means on this background: the one rule of both back ends. `detected` is that of the image in
/// which sources are found. Where there is no sky, or the threshold is in units of a sigma that is 0, nothing is above
/// it.
SRCEXTRACT_HOST_DEVICE inline Levels levels_of(const Background& background, const Background& detected,
                                               const DetectionConfig& detection, const MeasurementConfig& measurement) {
  const double sky = background.clipped.median;
  const bool in_sigmas = detection.threshold_unit != ThresholdUnit::absolute;
  const Statistics& noise =
      detection.threshold_unit == ThresholdUnit::detection_sigma ? detected.clipped : background.clipped;
  Levels levels;
  levels.background = measurement.reference == Baseline::background ? sky : 0.0;
  levels.sigma = background.clipped.sigma;
  if (background.all.count == 0 || (in_sigmas && noise.sigma == 0)) {
    levels.detection = std::numeric_limits<double>::infinity();
  } else if (in_sigmas) {
    const double zero_point = detection.reference == Baseline::background ? noise.median : 0.0;
    levels.detection = zero_point + detection.threshold * noise.sigma;
  } else {
    levels.detection = detection.threshold;
  }
  return levels;
}

}  // namespace srcextract
