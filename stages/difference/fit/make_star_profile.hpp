#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/frame_stars.hpp"
#include "stages/difference/fit/stamp_sums.hpp"

namespace srcextract {

/// Measures the shape of a star in the difference, which is the same as in the frame that is not convolved. Also makes
/// the filter that finds a star of this shape best in the noise of the difference.
///
/// - The shape is a mean over stars, at nodes one pixel apart around the star's centre. In each round, the mean
///   difference between the stars and the current shape is added to the shape (Anderson & King 2000, PASP 112, 1360,
///   section 3.2). The shape varies over the field as a polynomial: of order 2 with 30 or more bright stars, of order 1
///   with 12 or more, else of order 0.
/// - If the PSF of the frame that is not convolved is known, it is the shape.
/// - The brightest 100 of FrameStars::used() are used.
/// - Where stars are so many that few stand alone, the shape is that of profile_of_crowd(), and does not vary.
/// - The Fourier transform of the filter is that of the shape divided by the power spectrum of the noise, v_to + v_from
///   |k|^2. k is the transform of the kernel in the middle of the field; v_to and v_from are the variances of the sky
///   in the other frame and the convolved frame (Zackay, Ofek & Gal-Yam 2016, ApJ 830, 27, for a fitted kernel).
///
/// Sets fit.star, fit.convolved_correlation and the members of fit.facts about the shape. With fewer than three stars
/// the shape is a Gaussian of FWHM `fwhm`. `fwhm` is the FWHM in pixels of stars in the frame that is not convolved,
/// `sharp_fwhm` that in the convolved frame.
void make_star_profile(const FramePair& frames, const FrameStars& stars, double fwhm, double sharp_fwhm,
                       const Cpu& where, KernelFit& fit);

}  // namespace srcextract
