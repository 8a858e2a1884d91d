#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

enum class ThresholdUnit { sigma, absolute, detection_sigma, mag_per_arcsec2 };
enum class Baseline { background, zero };
enum class DetectionSign { positive, negative, both };

/// Which pixels belong to sources, and how pixels are joined into sources.
struct DetectionConfig {
  /// The detection threshold, in threshold_unit:
  /// - sigma: multiple of the image's noise, above the reference
  /// - absolute: pixel value; with background.method mesh, pixel value above the mesh's level
  /// - detection_sigma: multiple of the convolved image's noise (lower_noise(), or with one level of the sky its
  /// clipped
  ///   sigma), above the level of that image, or above zero
  /// - mag_per_arcsec2: surface brightness above the reference; measurement.zero_point and pixel_scale convert it to a
  ///   pixel value
  ///
  /// With the matched filter, sigma and detection_sigma both mean multiples of the filtered image's noise. A lower
  /// threshold finds fainter sources and more noise. At 5 sigma one pixel in 3.5 million of pure Gaussian noise exceeds
  /// the threshold.
  double threshold = 5.0;
  ThresholdUnit threshold_unit = ThresholdUnit::sigma;
  /// Level above which thresholds in sigma and in surface brightness are measured. background: the mesh's level, or the
  /// clipped median with background.method constant. zero: for an image whose sky is already subtracted.
  Baseline reference = Baseline::background;
  /// Which pixels are neighbours: 4: pixels that share a side; 8: also pixels that share a corner (SExtractor's
  /// choice).
  std::int64_t connectivity = 8;
  /// Minimum number of pixels of a source; smaller sources are dropped. 1 keeps cosmic rays and hot pixels. 0, only
  /// with fit.model: a third of the beam's pixels, at least 3; pipeline/resolve replaces 0 by that number before any
  /// stage runs.
  std::int64_t min_area = 5;
  /// Maximum number of pixels of a source (SExtractor's DETECT_MAXAREA); 0: no maximum. Larger sources are dropped
  /// after deblending, before CLEAN sees them. A low maximum drops bright stars and galaxies.
  std::int64_t max_area = 0;
  /// Whether sources are brighter or fainter than the sky. `srcextract difference` always searches for both.
  DetectionSign sign = DetectionSign::positive;
  /// A group of connected pixels is dropped unless a pixel of the group is above this, in threshold_unit; 0: none is
  /// dropped.
  double seed = 0;
  /// The column ISOAREA_IMAGE counts the source's pixels that exceed this in the measured image, in threshold_unit
  /// (SExtractor's ANALYSIS_THRESH). 0: there is no such column.
  double analysis_threshold = 0;
  /// Maximum expected fraction of noise pixels among the pixels above the threshold (Benjamini & Hochberg 1995). If not
  /// 0, the threshold is derived from this fraction, and `threshold` is not used.
  double false_discovery_rate = 0;
  /// Number of pixels with correlated noise, which lowers the effective false_discovery_rate as in Hopkins et al.
  /// (2002). 1: the rate is unchanged. 0: from the beam of the image, or 1 without a beam; pipeline/resolve replaces 0
  /// before any stage runs.
  std::int64_t correlated_pixels = 0;

  bool operator==(const DetectionConfig&) const = default;
};

SRCEXTRACT_HOST_DEVICE inline bool controls_false_discoveries(const DetectionConfig& config) {
  return config.false_discovery_rate != 0;
}

/// Whether correlated_pixels must be replaced by a number from the beam of the image.
inline bool counts_pixels_of_beam(const DetectionConfig& config) {
  return controls_false_discoveries(config) && config.correlated_pixels == 0;
}

SRCEXTRACT_HOST_DEVICE inline bool counts_in_sigmas(const DetectionConfig& config) {
  return config.threshold_unit == ThresholdUnit::sigma || config.threshold_unit == ThresholdUnit::detection_sigma;
}

}  // namespace srcextract
