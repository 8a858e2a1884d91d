#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/psf/psf_stars.hpp"
#include "stages/psf/psf_surface.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// An image in which stars are fitted.
struct PsfImage {
  const Image<float, Cpu>& above;     ///< above its sky; NaN is masked
  const Image<float, Cpu>* variance;  ///< of each pixel over `sky_variance`; null: 1 everywhere
  double sky_variance;
  double gain;           ///< in e-/count; 0: not known
  double saturation;     ///< value of a saturated pixel above the sky; 0: not known
  bool crowded = false;  ///< the sky holds stars that nobody finds: its level is not corrected
};

/// A pixel of the mean of all stars, as shares of their fluxes.
struct PsfStack {
  int side = 0;
  std::vector<double> light = {}, left = {};  ///< the stars, and what the model leaves of them; row by row
};

/// The PSF of an image.
struct MadePsf {
  PsfSurface surface;
  NumberTable table;  ///< the surface as it is written; psf_numbers reads it
  PsfStack stack;
  std::string problem = {};  ///< why there is none; empty: there is one
};

/// Makes the PSF of an image from its stars, on the host.
///
/// The model is a plane of pixels a term of a polynomial of the place. It makes
/// sum(w (d / F - L sum(b P))^2) over the pixels of all stars least: d is the light of a star without its neighbours, F
/// its flux, b the terms at its place, P the planes, and L the resampling at its place, as where the PSF is used. So no
/// pixel of the image is resampled, and stars of less than 2.5 pixels are sampled more finely by all stars together.
/// Weights are F^2 / (variance of sky and photons + (a F model)^2), with PSFEx's accuracies a of 0.2, 0.1, 0.05 and
/// 0.01 in four turns. In each turn
/// 1. every star and every source near one is fitted in what the others leave (flux and place);
/// 2. stars whose chi exceeds the others' by three of their standard deviations are left out;
/// 3. the planes are improved (improve_surface), and what the fit leaves free is fixed (fix_gauge).
///
/// The stars' verdicts and chi2 are set. `most_degree` is lowered where stars are few.
MadePsf make_psf(const PsfImage& image, std::vector<PsfStar>& stars, int most_degree, const Cpu& where);

}  // namespace srcextract
