#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class ThresholdUnit { sigma, absolute, detection_sigma, mag_per_arcsec2 };
enum class Baseline { background, zero };
enum class DetectionSign { positive, negative, both };

/// Which pixels belong to sources, and which pixels belong together.
struct DetectionConfig {
  /// In units of sigma above the reference, or the pixel value itself; in units of detection_sigma it is counted from
  /// the clipped median of the convolved image, whose noise it is, unless from zero. As a surface brightness it is what
  /// a pixel has above the reference, by the zero point and the pixel scale of the measurement. Lower finds fainter
  /// sources and more noise: at 5 sigma about one pixel in 3.5 million of pure noise exceeds it.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// What `threshold` sigma are counted from: the clipped median, or zero (an image already sky-subtracted).
  Baseline reference = Baseline::background;
  /// 4 = pixels sharing a side, 8 = also a corner (SExtractor's).
  std::int64_t connectivity = 8;
  /// Sources of fewer pixels are dropped. 1 keeps cosmic rays and hot pixels.
  std::int64_t min_area = 5;
  /// Of `difference` always both: what became brighter and what became fainter.
  DetectionSign sign = DetectionSign::positive;
  /// In the unit of `threshold`: components without a pixel above it are dropped; 0 = none are.
  double seed = 0;
  /// In the unit of `threshold`: ISOAREA_IMAGE counts the pixels of a source that are brighter in the image that is
  /// measured, SExtractor's ANALYSIS_THRESH; 0 = there is no such column.
  double analysis_threshold = 0;
  /// The threshold is such that at most this share of the pixels above it is expected to be noise (Benjamini &
  /// Hochberg 1995), and `threshold` is not looked at; 0 = none.
  double false_discovery_rate = 0;
  /// Pixels that have noise in common, by which that rate is divided as Hopkins et al. (2002) have it; 1 = not at all.
  std::int64_t correlated_pixels = 1;

  bool operator==(const DetectionConfig&) const = default;
};

/// Whether the image tells the threshold.
SRCEXTRACT_HOST_DEVICE inline bool controls_false_discoveries(const DetectionConfig& config) {
  return config.false_discovery_rate != 0;
}

/// Whether thresholds are counted in noise.
SRCEXTRACT_HOST_DEVICE inline bool counts_in_sigmas(const DetectionConfig& config) {
  return config.threshold_unit == ThresholdUnit::sigma || config.threshold_unit == ThresholdUnit::detection_sigma;
}

}  // namespace srcextract
