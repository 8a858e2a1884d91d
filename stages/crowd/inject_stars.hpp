#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/settings/crowd.hpp"

namespace srcextract {

/// Adds up to config.inject artificial stars to the image and fits the image again, to find completeness and flux
/// errors.
/// - Each artificial star is in its own cell of a grid, at least 6 FWHM wide. Position in the cell and flux are
///   pseudo-random and depend only on the star's number. Fluxes are 3 to 300 times the error of an isolated star.
/// - An artificial star counts as found if the second fit has a matching row: within max(0.7 pixels, FWHM / 4) of the
///   position, and within a factor of 2 of the flux. If the first fit already has a matching row, the artificial star
///   is ignored.
/// - The function sets fit.bins, and completeness and confusion of fit.rows according to their fluxes.
/// - `image` is in host memory. `fit_again` fits the same image with other pixel values.
void inject_stars(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, CrowdFit& fit,
                  const std::function<CrowdFit(const std::vector<float>& pixels)>& fit_again);

}  // namespace srcextract
