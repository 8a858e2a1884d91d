#pragma once

#include <cstdint>

#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/fit/island.hpp"
#include "stages/fit/plane_flux.hpp"
#include "stages/settings/fit.hpp"

namespace srcextract {

/// Fluxes measured in a plane of a cube, in pixel values times the plane's beam area.
struct FluxesOfPlane {
  PlaneFluxes gaussians, sources;  ///< in the order of FittedIslands::gaussians and FittedIslands::sources
  /// Area of the noise's autocorrelation, divided by the beam's area: fit.noise_area, or measured if fit.noise_area is
  /// 0.
  double noise_area = 0;
};

/// Measures the fluxes of fitted Gaussians in another plane with the same pixel grid. `plane` must have the runs and
/// labels of the map in which the Gaussians were fitted.
///
/// Positions are kept. Each shape is deconvolved from the beam of the fit and convolved with `beam`, or with the beam
/// of its place if `beams_at` is not empty. The peaks of all Gaussians of an island are fitted together by linear least
/// squares, over the pixels within config.radius full widths at half maximum. The covariance of the peaks is N^-1 J'C J
/// N^-1 (BlockFit::find_covariance) with the noise of the plane. Errors of positions and shapes are propagated by
/// derivatives. `shared` must be true if the plane is one of the planes from which the fitted image was made, so that
/// both share noise. The errors then include the covariance between each Gaussian's flux in the plane and its fitted
/// position and shape.
///
/// A source without Gaussians gets the sum over its island's pixels. Light that a Gaussian of one island has in another
/// island is not subtracted.
FluxesOfPlane measure_plane(const FitMap& plane, const FittedIslands& fitted, const PixelBeam& beam,
                            const BeamsAt& beams_at, const FitConfig& config, bool shared, const Cpu& where);

}  // namespace srcextract
