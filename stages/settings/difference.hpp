#pragma once

namespace srcextract {

enum class Align { none, wcs };
enum class Interpolation { bilinear, lanczos3 };

/// How a reference frame is matched to a new one before it is subtracted.
struct DifferenceConfig {
  Align align = Align::none;
  Interpolation interpolation = Interpolation::lanczos3;
  bool match_flux = true;
  bool match_background = true;
  /// Full width at half maximum of the stars, in pixels of the new frame: the sharper frame is convolved to the width
  /// of the other. 0 = not convolved.
  double reference_fwhm = 0;
  double new_fwhm = 0;

  bool operator==(const DifferenceConfig&) const = default;
};

}  // namespace srcextract
