#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class ThresholdUnit { sigma, absolute, detection_sigma, mag_per_arcsec2 };
enum class Baseline { background, zero };
enum class DetectionSign { positive, negative, both };

/// Which pixels belong to sources, and how they are joined.
struct DetectionConfig {
  /// Threshold in its unit:
  /// - sigma: noise of the image above the reference
  /// - absolute: the pixel value itself
  /// - detection_sigma: noise of the convolved image above its clipped median, or above zero; with the matched filter
  ///   as sigma, which is in units of the filter's noise
  /// - mag_per_arcsec2: surface brightness above the reference, by the measurement's zero point and pixel scale
  /// Lower finds fainter sources and more noise: at 5 sigma about one pixel in 3.5 million of pure noise exceeds it.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// The zero of thresholds in sigma: the clipped median, or zero (an image already sky-subtracted).
  Baseline reference = Baseline::background;
  /// 4 = pixels sharing a side, 8 = also a corner (SExtractor's).
  std::int64_t connectivity = 8;
  /// Sources of fewer pixels are dropped. 1 keeps cosmic rays and hot pixels.
  /// 0: as many as a third of the beam, at least 3 (with fit.model; resolved before any stage).
  std::int64_t min_area = 5;
  /// For `srcextract difference` always both: brighter and fainter changes.
  DetectionSign sign = DetectionSign::positive;
  /// In the unit of `threshold`: components without a pixel above it are dropped; 0 = no components are dropped.
  double seed = 0;
  /// In the unit of `threshold`: ISOAREA_IMAGE counts a source's brighter pixels in the measured image (SExtractor's
  /// ANALYSIS_THRESH); 0 = no such column.
  double analysis_threshold = 0;
  /// Expected share of noise among the pixels above the threshold, at most (Benjamini & Hochberg 1995); replaces
  /// `threshold`. 0 = not used.
  double false_discovery_rate = 0;
  /// Number of pixels with common noise, which lowers that rate as in Hopkins et al. (2002); 1 = unchanged. 0: by the
  /// beam of the image, or 1 if it has none (resolved before any stage).
  std::int64_t correlated_pixels = 0;

  bool operator==(const DetectionConfig&) const = default;
};

/// Whether the threshold is derived from the image.
SRCEXTRACT_HOST_DEVICE inline bool controls_false_discoveries(const DetectionConfig& config) {
  return config.false_discovery_rate != 0;
}

/// Whether the beam of the image tells how many pixels have common noise.
inline bool counts_pixels_of_beam(const DetectionConfig& config) {
  return controls_false_discoveries(config) && config.correlated_pixels == 0;
}

/// Whether thresholds are in units of noise.
SRCEXTRACT_HOST_DEVICE inline bool counts_in_sigmas(const DetectionConfig& config) {
  return config.threshold_unit == ThresholdUnit::sigma || config.threshold_unit == ThresholdUnit::detection_sigma;
}

}  // namespace srcextract
