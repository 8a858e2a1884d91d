#pragma once

#include <optional>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures the share of stars that the extraction of this image finds. Empty if output.report_copies is 0 or Gaussians
/// are fitted. Puts fainter copies of the image's own stars into the image at random positions, and extracts the image
/// again on the host with the same configuration. `extraction` must have been made with output.report, and is not
/// changed.
/// - Magnitudes are spread evenly, from copies that are surely found to copies that are surely lost. A magnitude counts
///   the total light of a copy, whereas the catalogue's magnitudes miss a part of the light.
/// - The copies are spread over several extractions. Each extraction has at most one copy per 64 x 64 pixels, and the
///   centres of copies are at least 16 pixels apart. Copies may lie on sources and at edges, but the central pixel is
///   not masked. Copies are shifted by whole pixels.
/// - A copy scaled by s < 1 has less photon noise than a star of the same magnitude. With a gain, the missing noise is
///   added: a pixel with the light f of the unscaled star gets the variance f s (1 - s) / gain. The sky noise of the
///   original stamp is also scaled, and adds s^2 times its variance to the sky noise at the copy's position.
/// - A copy is found if a source lies within 3 pixels, or within the A_IMAGE of the copied star if that is more. The
///   source must be at most 0.75 mag brighter and 2 mag fainter than the copy. A copy counts as lost if, without
///   copies, a source at most 0.75 mag fainter already lies there.
///
/// Positions and noise follow from the hash splitmix64 of the copy's number, so results depend neither on the number of
/// threads nor on the back end. Throws what the stages throw.
std::optional<Completeness> measure_completeness(const ImageInput& input, const Extraction& extraction,
                                                 const Cpu& where);

}  // namespace srcextract
