#pragma once

#include "stages/core/exec.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/fit/island.hpp"

namespace srcextract {

/// How far around a row its residual is looked at, in sides of the beam (PixelBeam::side). A smaller radius leaves too
/// few independent pixels; a larger one misses the spokes and the ragged edge that disturb a source.
inline constexpr double loud_radius = 4;

/// Compares the residual around each Gaussian and source, the map minus all Gaussians, with the noise. Where its root
/// mean square exceeds the noise by more than chance explains, all errors of the row are multiplied by the ratio, and
/// fit_flag::loud is set. Pixels in islands without Gaussians do not count, nor pixels of the map below -5 sigma, which
/// a map of one sign has at sources of the other. Also sets fit_flag::above_map where Gaussians of several islands
/// are above the map together, and fit_flag::doubled where these are one source that masked pixels cut.
void enlarge_errors(const FitMap& map, FittedIslands& fitted, const Cpu& where);

}  // namespace srcextract
