#pragma once

#include <optional>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures which Gaussians an extraction finds, and how well. Subtracts the fitted Gaussians from the map and injects
/// others, of known flux and position, into the residual. Extracts the result with the same configuration, on the host.
/// `extraction` has been fitted, and is not changed.
/// - The logarithms of S/N are spread evenly. The noise is that of a pixel in the residual.
/// - A round has at most one Gaussian per square of 50 beams, at least a quarter of the square's side from its border.
///   The centre lies anywhere within an unmasked pixel.
/// - A Gaussian is found if a source lies within half its FWHM, whose peak is at most twice and at least a sixth of its
///   own. It is lost if the residual already had such a source there, with at least half the peak.
/// - Shapes of the catalogue are those of fitted Gaussians above 10 sigma, and not less than the beam.
/// Everything random follows from splitmix64 alone: results depend neither on threads nor on the back end. Throws what
/// the stages throw.
Injection inject_gaussians(const ImageInput& input, const Extraction& extraction, const InjectionPlan& plan,
                           const Cpu& where);

/// Injects point sources for a report: output.report_copies of them, if that is above 0 and Gaussians are fitted.
std::optional<Injection> measure_injection(const ImageInput& input, const Extraction& extraction, const Cpu& where);

}  // namespace srcextract
