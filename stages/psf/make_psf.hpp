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
  const Image<float, Cpu>* variance;  ///< of each pixel, divided by `sky_variance`; null: 1 everywhere
  double sky_variance;
  double gain;           ///< in e-/count; 0: not known
  double saturation;     ///< value above the sky of a saturated pixel; 0: unknown
  bool crowded = false;  ///< whether the sky holds stars that nobody finds; its level is not corrected then
};

/// The mean image of all stars that make the PSF, divided by their fluxes.
struct PsfStack {
  int side = 0;
  /// the stars without neighbours, and the residuals of the model; row by row
  std::vector<double> light = {}, left = {};
};

/// The PSF of an image.
struct MadePsf {
  PsfSurface surface;
  NumberTable table;  ///< the surface as a table to be written, which psf_numbers can read
  PsfStack stack;
  std::string problem = {};  ///< reason why there is no PSF; empty: there is one
};

/// Makes the PSF of an image from its stars, on the host.
///
/// The model has a plane of pixels for each term of a polynomial of the position. It minimises
/// sum(w (d / F - L sum(b P))^2) over the pixels of all stars. Here d is the light of a star without its neighbours, F
/// its flux, b the terms at its position and P the planes. L is the resampling to its position, the same as where the
/// PSF is used. So no pixel of the image is resampled, and if stars are narrower than 2.5 pixels, all of them together
/// sample the PSF more finely. Weights are F^2 / (variance of sky and photons + (a F model)^2), with an accuracy `a`
/// that falls from 0.2 to 0.01 over six turns. In each turn
/// 1. flux and position of every star, and of every source near one, are fitted to the image without all others;
/// 2. from the fourth turn on, stars whose chi exceeds the median by three standard deviations are left out;
/// 3. in the first three turns a Moffat formula is improved (improve_field), later the planes (improve_surface), with
///    normalisation and centroid fixed (fix_gauge).
///
/// Sets the verdict of all stars. Stars that were used get the fitted position, flux and chi2. The degree of the
/// polynomial is `most_degree`, or lower if there are few stars.
MadePsf make_psf(const PsfImage& image, std::vector<PsfStar>& stars, int most_degree, const Cpu& where);

}  // namespace srcextract
