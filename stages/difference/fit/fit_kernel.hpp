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

/// A model that turns one frame into the other: other = kernel * convolved + background. Kernel and background change
/// over the field.
struct KernelFit {
  bool convolves_new = false;
  FrameLevel from, to;  ///< of the frame that is convolved, and of the other; without their maps
  int bloom = 0;        ///< how far around saturated pixels of `from` its light cannot be used, in pixels
  KernelBasis basis;
  FieldCoefficients coefficients;  ///< a column for each function of the basis, and one for the background
  FitFacts facts;
  StarProfile<Cpu> star;             ///< the shape of a star in the difference; empty if nobody asks for it
  double convolved_correlation = 1;  ///< StarView::correlation of the noise that the kernel convolves alone
};

/// The kernel in the middle of the field, row by row.
std::vector<double> kernel_in_middle(const KernelFit& fit, const Shape& shape);

/// Fits the kernel, the ratio of the frames' brightness and the difference of their skies to stamps around stars and
/// galaxies. Stamps whose chi^2 stands out (variables, what moved, what is saturated) are rejected in rounds until the
/// set stays. With fewer than 20 stamps orders are at most 1, with fewer than 8 they are 0.
///
/// With a map of a frame's noise, that is the noise of its sky; photons of its light are added by the gain.
///
/// The fit runs on the host, for a device as well: it reads few pixels, in sums whose order decides the last bit. Only
/// peaks are found on the device. The shape of the stars is found if `finds_stars`.
///
/// Throws Error{input}, without the place of a key, if a frame has no noise, if no pixel is good in both, if fewer
/// than 3 stamps are left, if the frames share few of their bright stars (share_of_shared_stars), or if most of the
/// stars' light is not matched.
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
