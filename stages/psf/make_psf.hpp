#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/core/exec.hpp"
#include "stages/core/image.hpp"
#include "stages/psf/psf_stars.hpp"
#include "stages/psf/psf_surface.hpp"
#include "stages/psf/unlike_part.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract {

/// The image from whose stars the PSF is made.
struct PsfImage {
  const Image<float, Cpu>& above;     ///< the image minus its sky; masked pixels are NaN
  const Image<float, Cpu>* variance;  ///< variance of each pixel divided by `sky_variance`; null: 1 for every pixel
  double sky_variance;
  double gain;           ///< in e-/count; 0: unknown
  double saturation;     ///< value above the sky of a saturated pixel; 0: unknown
  bool crowded = false;  ///< true if the stars are fitted with the sky, and the sky may have light of undetected stars
};

/// The mean image of all stars from which the PSF is made, divided by their fluxes.
struct PsfStack {
  int side = 0;
  /// light: the stars, with neighbours subtracted; left: the residuals of the model; both row by row
  std::vector<double> light = {}, left = {};
};

struct MadePsf {
  PsfSurface surface;
  NumberTable table;  ///< the surface as a PSFEx table, for writing and for psf_numbers()
  PsfStack stack;
  UnlikePart unlike = {};    ///< the part of the field whose stars are least like the model
  std::string problem = {};  ///< reason why no PSF could be made; empty if one was made
};

/// Makes the PSF of an image from its stars, on the host.
///
/// The model has a plane of pixels for each term of a polynomial of the position. The planes P minimise sum(w (d / F -
/// L sum(b P))^2) over the pixels of all stars. d is the light of a star after its neighbours are subtracted, F its
/// flux, and b are the values of the polynomial's terms at its position. L is the resampling to the star's position,
/// the same as where the PSF is used. Hence no pixel of the image is resampled. If stars are narrower than 2.5 pixels,
/// all stars together sample the PSF more finely than one star does.
///
/// The weights w are F^2 / (variance of sky and photons + (a F model)^2). The assumed accuracy `a` falls from 0.2 to
/// 0.01 over nine turns (iterations), and to the accuracy that the model reaches. In each turn
/// 1. flux and position of every star, and of every source near a star, are fitted with all others subtracted;
/// 2. from the seventh turn on, stars whose chi exceeds the median by three standard deviations are rejected;
/// 3. the model is improved: in the first six turns the formula (improve_field()), later the planes
///    (improve_surface()), with fixed normalisation and centroid (fix_gauge()).
///
/// Sets the width and the verdict of all stars. Stars that were used receive the fitted position, flux and chi2. The
/// degree of the polynomial is `most_degree`, or lower if there are too few stars, also after some are rejected. The
/// light within 4 full widths, at least 12 pixels, is 1.
MadePsf make_psf(const PsfImage& image, std::vector<PsfStar>& stars, int most_degree, const Cpu& where);

}  // namespace srcextract
