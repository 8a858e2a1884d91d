#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/plane_flux.hpp"
#include "stages/settings/fit.hpp"

namespace srcextract {

/// Fluxes measured in a plane, in pixel values times the plane's beam area.
struct FluxesOfPlane {
  PlaneFluxes gaussians, sources;  ///< in the order of the rows
  double noise_area = 0;           ///< of the plane's noise: given by fit.noise_area, or measured if that is 0
};

/// Measures fitted Gaussians in another plane with the same pixel grid. `plane` must have the segmentation in which
/// they were found.
///
/// Positions stay fixed. Each shape is deconvolved from the beam of the fit and convolved with `beam`. The peaks of all
/// Gaussians of an island follow from one linear least-squares fit over the pixels within fit.radius full widths. Their
/// errors are N^-1 J'C J N^-1 (fit_block.hpp) with the noise and the correlation of the plane. Errors of positions and
/// shapes are propagated by derivatives. If the plane is a part of the image that was fitted (`shared`), the errors
/// include the noise that both share, but only between a Gaussian's own flux and shape.
///
/// A source without Gaussians gets the sum over its island's pixels. Light of one island in another is not subtracted.
FluxesOfPlane measure_plane(const FitMap& plane, const FittedIslands& fitted, const PixelBeam& beam,
                            const FitConfig& config, bool shared, const Cpu& where);

}  // namespace srcextract
