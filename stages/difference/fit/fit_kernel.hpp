#pragma once

#include <vector>

#include "stages/core/image.hpp"
#include "stages/difference/fit/find_peaks.hpp"
#include "stages/difference/fit/fit_facts.hpp"
#include "stages/difference/fit/frame_level.hpp"
#include "stages/difference/fit/frame_pixel.hpp"
#include "stages/difference/fit/kernel_basis.hpp"
#include "stages/difference/fit/solve.hpp"
#include "stages/math/star_profile.hpp"
#include "stages/settings/difference.hpp"

namespace srcextract {

/// A model of one frame from the other: other frame = kernel * convolved frame + background, where * is a convolution
/// and both frames are minus their skies. Kernel and background vary over the field as polynomials.
struct KernelFit {
  bool convolves_new = false;
  FrameLevel from, to;  ///< levels of the frame that is convolved, and of the other frame; FrameLevel::map is null.
                        ///< If `from` is resampled, its noise is that of independent pixels which after convolution
                        ///< are as noisy
  int bloom = 0;        ///< pixels of `from` within this distance of a saturated pixel cannot be used
  KernelBasis basis;
  FieldCoefficients coefficients;  ///< one column per function of the basis, then a column for the background
  FitFacts facts;
  StarProfile<Cpu> star;  ///< shape of a star in the difference; empty if the caller did not ask for the shape
  /// StarView::correlation, but for the noise of the convolved frame alone, and for that of the other frame.
  double convolved_correlation = 1, other_correlation = 1;
};

/// Returns the kernel where the polynomials' terms have the values `at`, row by row.
std::vector<double> kernel_at(const KernelFit& fit, const FieldTerms& at);
/// Returns the kernel at the middle of a frame of this shape, row by row.
std::vector<double> kernel_in_middle(const KernelFit& fit, const Shape& shape);

/// Fits the kernel, the ratio of the frames' brightness and the difference of their skies to stamps: squares of pixels
/// around stars and galaxies. Stamps of unusually high chi^2 (variable, moving or saturated sources) are rejected, and
/// the fit is repeated, until the set of stamps stays the same. With fewer than 20 stamps the polynomials have an order
/// of at most 1, with fewer than 8 the order 0.
///
/// In a crowd the light of stars counts as noise of the frames. If the fit leaves less than half of that noise, and the
/// frames do not share theirs (noise_of_residual), the fit is repeated with the noise that it left.
///
/// `maps` give the variance of the sky at each pixel. Photon noise is added if the gain is known.
///
/// If the frames are on a device, find_peaks() and shared_greatest() run on the device, and all else on the host. The
/// fit reads few pixels, and sums in another order would change the last bits of the result. KernelFit::star is set
/// only if `finds_stars` is true.
///
/// Throws Error{input}, whose message does not begin with the name of a configuration key, if one of these holds:
/// - a frame has no noise;
/// - no pixel is good in both frames;
/// - fewer than 3 stamps are left;
/// - the frames share less than 30 % of their bright stars (share_of_shared_stars);
/// - the fit misses more than 30 % of the light of bright stars (StarResidual::share);
/// - the sum of the kernel, averaged over the field, is not above 0.
KernelFit fit_kernel(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Cpu& where, const FrameMaps<Cpu>& maps = {},
                     bool finds_stars = true);
KernelFit fit_kernel(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Cpu& where, const FrameMaps<Cpu>& maps, bool finds_stars,
                     const FindPeaks& find);
KernelFit fit_kernel(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Gpu& where, const FrameMaps<Gpu>& maps = {},
                     bool finds_stars = true);

}  // namespace srcextract
