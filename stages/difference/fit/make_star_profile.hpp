#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/stamp_sums.hpp"

namespace srcextract {

/// Makes the shape of a star in the difference, which equals the shape in the frame that is not convolved. Also makes
/// the filter that detects such a star best in the noise of the difference.
///
/// - The shape is a mean over the stars among the stamps, on a grid of pixels about their centres. In each round the
///   differences between the stars and the current shape are added to it (Anderson & King 2000, PASP 112, 1360, section
///   3.2). It varies over the field as a polynomial, of order 2 from 30 bright stars on, of order 1 from 12.
/// - A stamp counts as a star if its width is within 15 % of the 20th percentile of the stamps' widths.
/// - The filter is the shape divided by the spectrum of the noise, v_to + v_from |kernel|^2 with the kernel in the
///   middle of the field (Zackay, Ofek & Gal-Yam 2016, ApJ 830, 27, for a fitted kernel).
///
/// Sets fit.star and the facts about it. Runs on the host. With fewer than three stars the shape is a Gaussian of FWHM
/// `fwhm`. `sharp_fwhm` is the FWHM of stars in the frame that is convolved.
void make_star_profile(const FramePair& frames, const std::vector<Stamp>& stamps, double fwhm, double sharp_fwhm,
                       const Cpu& where, KernelFit& fit);

}  // namespace srcextract
