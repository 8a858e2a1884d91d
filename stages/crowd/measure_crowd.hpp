#pragma once

#include <vector>

#include "stages/crowd/crowd_equations.hpp"

namespace srcextract {

/// Measures each star and its errors from the residual. `equations` are those of the last solution. Errors are
/// marginal: positions and fluxes of the star and of its nearest neighbours are free parameters. At most 20 neighbours
/// count, all within 2 FWHM.
std::vector<CrowdRow> measure_crowd(const CrowdField& field, const CrowdPsf& psf, const CrowdEquations& equations,
                                    const std::vector<CrowdStar>& stars);

}  // namespace srcextract
