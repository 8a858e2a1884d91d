#pragma once

#include <limits>

#include "config/config.hpp"
#include "stages/background.hpp"
#include "stages/core/host_device.hpp"
#include "stages/threshold.hpp"

namespace srcextract {

/// What the configuration means on this background: the one rule of both back ends. Where there is no sky, or the
/// threshold is in units of a sigma that is 0, nothing is above it.
SRCEXTRACT_HOST_DEVICE inline Levels levels_of(const Background& background, const DetectionConfig& detection,
                                               const MeasurementConfig& measurement) {
  const double sky = background.clipped.median;
  const bool in_sigmas = detection.threshold_unit == ThresholdUnit::sigma;
  Levels levels;
  levels.background = measurement.reference == Reference::background ? sky : 0.0;
  levels.sigma = background.clipped.sigma;
  if (background.all.count == 0 || (in_sigmas && levels.sigma == 0)) {
    levels.detection = std::numeric_limits<double>::infinity();
  } else if (in_sigmas) {
    const double zero_point = detection.reference == Reference::background ? sky : 0.0;
    levels.detection = zero_point + detection.threshold * levels.sigma;
  } else {
    levels.detection = detection.threshold;
  }
  return levels;
}

}  // namespace srcextract
