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

/// A model that turns one frame into the other: other = kernel * convolved + background. Kernel and background vary
/// over the field.
struct KernelFit {
  bool convolves_new = false;
  FrameLevel from, to;  ///< levels of the frame that is convolved, and of the other, without maps
  int bloom = 0;        ///< pixels of `from` this near to saturated ones cannot be used
  KernelBasis basis;
  FieldCoefficients coefficients;  ///< one column per function of the basis, and one for the background
  FitFacts facts;
  StarProfile<Cpu> star;             ///< shape of a star in the difference; empty if it was not asked for
  double convolved_correlation = 1;  ///< StarView::correlation for only the noise that the kernel convolves
};

/// Returns the kernel in the middle of the field, row by row.
std::vector<double> kernel_in_middle(const KernelFit& fit, const Shape& shape);

/// Fits the kernel, the ratio of the frames' brightness and the difference of their skies to stamps around stars and
/// galaxies. Stamps whose chi^2 stands out (variable, moving or saturated sources) are rejected in rounds until the set
/// of stamps stays the same. With fewer than 20 stamps the polynomials have an order of at most 1, with fewer than 8
/// the order 0.
///
/// `maps` give the variance of the sky in each pixel. Photon noise is added by the gain.
///
/// The fit runs on the host even for a device: it reads few pixels, and the order of sums decides the last bit. Only
/// peaks are found on the device. The shape of the stars is found if `finds_stars`.
///
/// Throws Error{input}, which names no key of the configuration, if a frame has no noise, no pixel is good in both, or
/// fewer than 3 stamps are left. It also throws if the frames share few of their bright stars (share_of_shared_stars),
/// or the fit misses more than 30 % of the stars' light. A kernel whose mean sum is not above 0 is refused, too.
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
