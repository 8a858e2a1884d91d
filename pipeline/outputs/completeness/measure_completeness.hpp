#pragma once

#include <optional>

#include "pipeline/extract/extract_image.hpp"
#include "pipeline/outputs/completeness/completeness.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Measures which share of stars the extraction of this image finds, if output.report_copies asks for it. Puts fainter
/// copies of the image's own stars into it at random places and extracts it again with the same configuration, on
/// the host. `extraction` must have been made with output.report, and is not changed.
/// - Magnitudes are spread evenly, from copies sure to be found to copies sure to be lost. They count a copy's total
///   light, of which the magnitudes of a catalogue miss a part.
/// - A pass has at most one copy per 64 x 64 pixels, at least 16 pixels from the next. Copies may lie on sources and at
///   edges; their middle pixel is not masked. Copies are moved by whole pixels.
/// - A copy scaled by s has less photon noise than a star of its magnitude. With a gain, the missing noise is added: a
///   pixel with the light f gets the variance f s (1 - s) / gain. Sky noise that was cut out with the star is scaled
///   by s, and adds s^2 of its variance at the copy's place.
/// - A copy is found if a source lies within 3 pixels, or within A_IMAGE of its star if that is more. The source is at
///   most 0.75 mag brighter and 2 mag fainter. A copy is lost if there was a source at that place before, at most
///   0.75 mag fainter.
/// Places and noise follow from splitmix64 alone, so results depend neither on threads nor on the back end. Throws what
/// the stages throw.
std::optional<Completeness> measure_completeness(const ImageInput& input, const Extraction& extraction,
                                                 const Cpu& where);

}  // namespace srcextract
