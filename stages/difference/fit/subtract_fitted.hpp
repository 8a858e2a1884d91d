#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Subtracts the reference from the new frame by a fit, in counts of the new frame. out.noise is the variance of each
/// pixel divided by the variance of the sky. Each tile of 16 x 16 pixels uses the kernel at its middle. The kernel's
/// values are in float, and sums over it are chains of fmaf in raster order. Bad pixels of the convolved frame are
/// replaced by a weighted mean of the good pixels around them.
///
/// A pixel is masked if the other frame is bad there, or the kernel reaches beyond an edge. It is also masked if more
/// than a tenth of the kernel's magnitude lies on bad pixels of the convolved frame, or any on the surroundings of a
/// saturated pixel (KernelFit::bloom). `out` has the shape of the frames; out.masked counts its masked pixels as NaN.
/// out.star is copied from the fit. `maps` must be those of the fit. If there are any, out.variance is the noise for
/// sums over a star (FittedPixel::noise_of_stars). `keeps_frames`: also sets out.star.frames, if fit.star is not empty.
void subtract_fitted(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const KernelFit& fit,
                     Pixels<Cpu>& out, const Cpu& where, const FrameMaps<Cpu>& maps = {}, bool keeps_frames = false);
void subtract_fitted(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const KernelFit& fit,
                     Pixels<Gpu>& out, const Gpu& where, const FrameMaps<Gpu>& maps = {}, bool keeps_frames = false);

}  // namespace srcextract
