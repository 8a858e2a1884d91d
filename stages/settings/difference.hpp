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
  /// fitted: kernel, flux scale and sky are fitted to the stars of both frames, and vary over the field
  /// (stages/difference/fit). gaussian: a kernel from two given widths, for frames without stars.
  MatchingKernel kernel = MatchingKernel::fitted;
  /// Basis functions of a fitted kernel. delta: one function per pixel, for stars that no sum of Gaussians can match,
  /// such as trailed or split ones.
  Basis basis = Basis::gaussians;
  /// Which frame a fitted kernel convolves. either: the frame with the sharper stars.
  Convolved convolve = Convolved::either;
  /// Orders of the polynomials over the field. Too low leaves residuals of stars where the seeing varies; too high
  /// follows noise where stars are few.
  std::int64_t kernel_order = 2;
  std::int64_t flux_order = 1;
  std::int64_t background_order = 2;
  /// score: sources are found in the fitted difference after filtering for stars in its noise.
  DetectOn detect_on = DetectOn::score;
  bool match_flux = true;
  bool match_background = true;
  /// Full width at half maximum of the stars in each frame, in pixels of the new frame. The sharper frame is convolved
  /// to the width of the other. 0 = not convolved.
  double reference_fwhm = 0;
  double new_fwhm = 0;
  /// Whether a difference fails if it would get a warning about its quality.
  bool refuse_bad = false;

  bool operator==(const DifferenceConfig&) const = default;
};

}  // namespace srcextract
