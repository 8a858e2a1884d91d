#pragma once

#include <functional>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/settings/crowd.hpp"

namespace srcextract {

/// Adds up to config.inject stars to the image, and fits it again. Each star is in a cell of its own, at least 6 FWHM
/// wide. Fluxes are 3 to 300 times the error of a star that is alone, places are on a jittered grid: both follow from
/// the star's number. Sets fit.bins, and completeness and confusion of its rows, by their fluxes. A star is found if a
/// row is within max(0.7 pixels, FWHM / 4) of its place, with a flux within a factor 2. An added star does not count if
/// `fit` already has such a row. `image` is on the host; `fit_again` fits other pixels in its place.
void inject_stars(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, CrowdFit& fit,
                  const std::function<CrowdFit(const std::vector<float>& pixels)>& fit_again);

}  // namespace srcextract
