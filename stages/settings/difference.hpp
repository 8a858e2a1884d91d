#pragma once

#include <cstdint>

namespace srcextract {

enum class Align { none, wcs };
enum class Interpolation { bilinear, lanczos3 };
enum class MatchingKernel { gaussian, fitted };
enum class Basis { gaussians, delta };
enum class Convolved { either, reference, fresh };
enum class DetectOn { score, difference };

/// How a reference frame is matched to a new one before it is subtracted.
struct DifferenceConfig {
  Align align = Align::none;
  Interpolation interpolation = Interpolation::lanczos3;
  /// fitted: a kernel, a flux scale and a sky that are fitted to the stars of both frames and change over the field
  /// (stages/difference/fit). gaussian: a kernel of two given widths, for frames without stars.
  MatchingKernel kernel = MatchingKernel::fitted;
  /// Functions whose sum a fitted kernel is. delta: one for each pixel, for stars that no sum of Gaussians makes of
  /// others, as trailed or split ones.
  Basis basis = Basis::gaussians;
  /// Which frame a fitted kernel convolves; either: the one with the sharper stars.
  Convolved convolve = Convolved::either;
  /// Orders of the polynomials over the field: too low leaves residuals of stars where the seeing changes, too high
  /// follows noise where stars are few.
  std::int64_t kernel_order = 2;
  std::int64_t flux_order = 1;
  std::int64_t background_order = 2;
  /// score: sources are found in the fitted difference after the filter that finds stars best in its noise.
  DetectOn detect_on = DetectOn::score;
  bool match_flux = true;
  bool match_background = true;
  /// Full width at half maximum of the stars, in pixels of the new frame: the sharper frame is convolved to the width
  /// of the other. 0 = not convolved.
  double reference_fwhm = 0;
  double new_fwhm = 0;
  /// Whether a difference that gets a warning about its quality fails instead.
  bool refuse_bad = false;

  bool operator==(const DifferenceConfig&) const = default;
};

}  // namespace srcextract
