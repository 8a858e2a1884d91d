#pragma once

#include <cstdint>

namespace srcextract {

enum class Align { none, wcs };
enum class Interpolation { bilinear, lanczos3 };
enum class MatchingKernel { gaussian, fitted };
enum class Basis { gaussians, delta };
enum class Convolved { either, reference, fresh };
enum class DetectOn { score, difference };

/// How `srcextract difference` matches a reference frame to a new frame, which enumerators call `fresh`, before
/// subtracting the reference.
struct DifferenceConfig {
  Align align = Align::none;
  Interpolation interpolation = Interpolation::lanczos3;
  /// How the stars of both frames are made equal. fitted: kernel, flux scale and sky difference are fitted to the stars
  /// and vary over the field (stages/difference/fit). gaussian: a Gaussian kernel from reference_fwhm and new_fwhm, for
  /// frames without stars.
  MatchingKernel kernel = MatchingKernel::fitted;
  /// Basis functions of a fitted kernel. delta: one function per kernel pixel, for trailed, split or other stars that
  /// no sum of Gaussians can match.
  Basis basis = Basis::gaussians;
  /// The frame that a fitted kernel convolves. either: the frame with the sharper stars.
  Convolved convolve = Convolved::either;
  /// Orders of the polynomials in x and y by which the kernel, the flux ratio and the sky difference vary over the
  /// field. Low orders leave residuals of stars where the seeing varies; high orders fit noise where stars are few.
  std::int64_t kernel_order = 2;
  std::int64_t flux_order = 1;
  std::int64_t background_order = 2;
  /// The image in which sources are found. score: the difference after a filter matched to the stars, in units of its
  /// noise. difference: the difference itself.
  DetectOn detect_on = DetectOn::score;
  bool match_flux = true;
  bool match_background = true;
  /// Full widths at half maximum of the stars in each frame, in pixels of the new frame. The frame with the smaller
  /// width is convolved to the larger width. 0, which both must have: neither frame is convolved.
  double reference_fwhm = 0;
  double new_fwhm = 0;
  /// Whether a difference with a quality problem (residuals at stars, unexpected noise) fails with an error, instead of
  /// a warning.
  bool refuse_bad = false;

  bool operator==(const DifferenceConfig&) const = default;
};

}  // namespace srcextract
