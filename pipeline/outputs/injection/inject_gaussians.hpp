#pragma once

#include <optional>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/outputs/injection/injection.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures which Gaussians an extraction finds, and how well. Subtracts the fitted Gaussians from the map, and adds
/// other Gaussians of known flux and position to the residual. Extracts the result on the host with the same
/// configuration. `extraction` must include the fit of Gaussians, and is not changed.
/// - The logarithms of S/N are spread evenly. S/N is the peak over the noise of a pixel in the residual.
/// - The Gaussians are spread over several extractions (rounds). A round has at most one Gaussian in each square with
///   the area of 50 beams. The distance from the square's border is at least a quarter of the square's side. The centre
///   lies anywhere within an unmasked pixel.
/// - A Gaussian is found if a source lies within half the Gaussian's FWHM, with a peak between 1/6 and 2 times the
///   Gaussian's peak. A Gaussian counts as lost if the residual already has a source there with 1/2 to 2 times the
///   peak.
/// - With InjectedShapes::catalogue, the shapes are copied from the map's fitted Gaussians above 10 sigma, but are not
///   smaller than the beam.
///
/// Random numbers follow from the hash splitmix64 of the Gaussian's number, so results depend neither on the number of
/// threads nor on the back end. Throws what the stages throw.
Injection inject_gaussians(const ImageInput& input, const Extraction& extraction, const InjectionPlan& plan,
                           const Cpu& where);

/// Injects output.report_copies point sources for a report. Empty if that number is 0 or no Gaussians were fitted.
std::optional<Injection> measure_injection(const ImageInput& input, const Extraction& extraction, const Cpu& where);

}  // namespace srcextract
