#pragma once

#include <vector>

#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/stamp_sums.hpp"

namespace srcextract {

/// The shape of a star in the difference, which is that in the frame that is not convolved, and the filter that finds
/// such a star best in the noise of the difference.
///
/// - The shape is a mean over the stars among the stamps, on the grid of pixels about their centres. The difference
///   between the stars and the shape so far is added to it, round by round (Anderson & King 2000, PASP 112, 1360,
///   section 3.2). It is a polynomial over the field, of order 2 with 30 bright stars or more, of order 1 with 12.
/// - A star is a stamp whose width is within 15 % of the width that a fifth of the stamps does not reach.
/// - The filter is the shape over the spectrum of the noise, v_to + v_from |kernel|^2 of the kernel in the middle of
/// the
///   field (Zackay, Ofek & Gal-Yam 2016, ApJ 830, 27, for a fitted kernel).
///
/// Sets fit.star and the facts about it. Runs on the host. Without three stars the shape is a Gaussian of this FWHM.
/// `sharp_fwhm` is that of stars in the frame that is convolved.
void make_star_profile(const FramePair& frames, const std::vector<Stamp>& stamps, double fwhm, double sharp_fwhm,
                       const Cpu& where, KernelFit& fit);

}  // namespace srcextract
