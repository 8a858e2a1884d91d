#pragma once

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {

/// Computes the difference new frame - reference, after the fitted kernel convolved one of the two, in counts of the
/// new frame. out.noise is the variance of each pixel divided by the variance of the sky. The kernel is constant within
/// tiles of 16 x 16 pixels, with its value at the middle of the tile. The kernel's values are in float, and sums over
/// the kernel are chains of fmaf in raster order. Bad (masked or saturated) pixels of the convolved frame are first
/// replaced by a weighted mean of the good pixels around.
///
/// A pixel of the result is masked if one of these holds:
/// - the pixel is bad in the frame that is not convolved;
/// - the kernel reaches beyond an edge of the frame;
/// - more than a tenth of the kernel's summed magnitude lies on bad pixels of the convolved frame;
/// - a pixel under the kernel is within KernelFit::bloom pixels of a saturated pixel of the convolved frame;
/// - the polynomial that converts counts between the frames is not above least_kernel_sum.
///
/// `out` must have the shape of the frames. out.masked counts all masked pixels of the result as NaN. out.star is
/// copied from the fit. `maps` must be the maps with which the fit was made. If there is a map, out.variance is the
/// variance for sums over a star (FittedPixel::noise_of_stars). If `keeps_frames` is true and fit.star is not empty,
/// also sets out.star.frames.
void subtract_fitted(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const KernelFit& fit,
                     Pixels<Cpu>& out, const Cpu& where, const FrameMaps<Cpu>& maps = {}, bool keeps_frames = false);
void subtract_fitted(const Image<float, Gpu>& reference, const Image<float, Gpu>& fresh, const KernelFit& fit,
                     Pixels<Gpu>& out, const Gpu& where, const FrameMaps<Gpu>& maps = {}, bool keeps_frames = false);

}  // namespace srcextract
