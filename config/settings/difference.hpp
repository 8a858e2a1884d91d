#pragma once

namespace srcextract {

enum class Align { none, wcs };
enum class Interpolation { bilinear, lanczos3 };

/// How a reference frame is made comparable with a new one before it is subtracted.
struct DifferenceConfig {
  Align align = Align::none;
  Interpolation interpolation = Interpolation::lanczos3;
  bool match_flux = true;
  bool match_background = true;
  /// Of the stars, in pixels of the new frame: the sharper frame is convolved to the width of the other. 0 = as they
  /// are.
  double reference_fwhm = 0;
  double new_fwhm = 0;

  bool operator==(const DifferenceConfig&) const = default;
};

}  // namespace srcextract
