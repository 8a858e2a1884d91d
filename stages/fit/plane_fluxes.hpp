#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/plane_flux.hpp"
#include "stages/settings/fit.hpp"

namespace srcextract {

/// Fluxes in a plane, in its pixel values times its beams.
struct FluxesOfPlane {
  PlaneFluxes gaussians, sources;  ///< in the order of the rows
  double noise_area = 0;           ///< of the plane's noise; measured, if fit.noise_area is 0
};

/// Measures fitted Gaussians in another plane of the same pixels. `plane` has the segmentation in which they were
/// found.
///
/// Places are kept. Shapes are those without the beam of the fit, seen through `beam`. The peaks of all Gaussians of an
/// island follow from one linear least-squares fit over the pixels within fit.radius full widths. Their errors are
/// N^-1 J'C J N^-1 (fit_block.hpp) with the noise and the correlation of the plane. The errors of places and shapes are
/// added by their derivatives. If the plane is a part of the image that was fitted (`shared`), the noise that it shares
/// with them counts; that of one Gaussian with another's shape does not.
///
/// A source without Gaussians has the sum over its island's pixels. Islands in one another's light are not unmixed.
FluxesOfPlane measure_plane(const FitMap& plane, const FittedIslands& fitted, const PixelBeam& beam,
                            const FitConfig& config, bool shared, const Cpu& where);

}  // namespace srcextract
