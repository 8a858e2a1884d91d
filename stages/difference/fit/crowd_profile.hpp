#pragma once

#include <optional>
#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/whitening.hpp"

namespace srcextract {

/// The shape of the stars of a crowd.
struct CrowdProfile {
  double fwhm;         ///< full width at half maximum in pixels: geometric mean of both axes
  double scale_error;  ///< relative standard error of fluxes that are measured by this shape
  Square shape;        ///< values at nodes 1 pixel apart; the light of all the plane is 1
};

/// Measures the shape of the stars of a frame so crowded that no star stands alone. If stars are at random places, the
/// autocorrelation of the frame is that of one star, times the sum of all squared fluxes (Campbell's theorem for shot
/// noise; Rice 1944, Bell Syst. Tech. J. 23, 282). So neither places nor a level of the sky are needed. An elliptical
/// Moffat profile (Moffat 1969, A&A 3, 455) is fitted to the autocorrelation at lags up to 2.5 `fwhm`, but not at lag
/// 0, which has the noise of the pixels.
///
/// Reads at most 128 squares of at most 128 pixels, spread over the frame. Pixels within 3 `fwhm` of a bad one are left
/// out. `fwhm` is a first estimate in pixels, and `half` the half width of the shape. Without a value, the fit failed,
/// or its width is more than 1.25 times `fwhm`, as galaxies are, or less than half.
std::optional<CrowdProfile> profile_of_crowd(const LevelledFrame& frame, double fwhm, int half, const Cpu& where);

}  // namespace srcextract
