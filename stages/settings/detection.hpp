#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class ThresholdUnit { sigma, absolute, detection_sigma, mag_per_arcsec2 };
enum class Baseline { background, zero };
enum class DetectionSign { positive, negative, both };

/// Which pixels belong to sources, and how pixels are joined into sources.
struct DetectionConfig {
  /// The threshold, in threshold_unit:
  /// - sigma: noise of the image above the reference
  /// - absolute: the pixel value itself
  /// - detection_sigma: noise of the convolved image above its clipped median, or above zero; with the matched filter
  ///   as sigma, which is in units of the filter's noise
  /// - mag_per_arcsec2: surface brightness above the reference, by the measurement's zero point and pixel scale
  ///
  /// Lower finds fainter sources and more noise: at 5 sigma about one pixel in 3.5 million of pure noise exceeds it.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// What thresholds in sigma are measured from: the clipped median, or zero (for an image already sky-subtracted).
  Baseline reference = Baseline::background;
  /// Which pixels touch: 4 = pixels that share a side, 8 = also pixels that share a corner (SExtractor's).
  std::int64_t connectivity = 8;
  /// Sources with fewer pixels are dropped. 1 keeps cosmic rays and hot pixels. 0: a third of the beam's pixels, at
  /// least 3 (with fit.model; replaced by a number before any stage).
  std::int64_t min_area = 5;
  /// Sources with more pixels are dropped after deblending and before CLEAN, in which they take no part (SExtractor's
  /// DETECT_MAXAREA); 0 = none are dropped. A low limit drops bright stars and galaxies.
  std::int64_t max_area = 0;
  /// Whether sources are brighter or fainter than the sky. `srcextract difference` always searches for both.
  DetectionSign sign = DetectionSign::positive;
  /// Components without a pixel above this are dropped, in threshold_unit; 0 = no components are dropped.
  double seed = 0;
  /// ISOAREA_IMAGE counts the source's pixels above this in the measured image, in threshold_unit (SExtractor's
  /// ANALYSIS_THRESH); 0 = no such column.
  double analysis_threshold = 0;
  /// Largest expected fraction of noise among the pixels above the threshold (Benjamini & Hochberg 1995); replaces
  /// `threshold`. 0 = not used.
  double false_discovery_rate = 0;
  /// Number of pixels that share their noise, which lowers false_discovery_rate as in Hopkins et al. (2002); 1 =
  /// unchanged. 0: from the beam of the image, or 1 if it has none (replaced by a number before any stage).
  std::int64_t correlated_pixels = 0;

  bool operator==(const DetectionConfig&) const = default;
};

/// Whether false_discovery_rate is set, so that the threshold is derived from the image.
SRCEXTRACT_HOST_DEVICE inline bool controls_false_discoveries(const DetectionConfig& config) {
  return config.false_discovery_rate != 0;
}

/// Whether the number of pixels that share their noise comes from the beam of the image.
inline bool counts_pixels_of_beam(const DetectionConfig& config) {
  return controls_false_discoveries(config) && config.correlated_pixels == 0;
}

/// Whether thresholds are in units of noise.
SRCEXTRACT_HOST_DEVICE inline bool counts_in_sigmas(const DetectionConfig& config) {
  return config.threshold_unit == ThresholdUnit::sigma || config.threshold_unit == ThresholdUnit::detection_sigma;
}

}  // namespace srcextract
