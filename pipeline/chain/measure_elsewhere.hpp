#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The image in which sources are found, where another of the same pixels is measured.
struct DetectionImage {
  Exposure exposure;
  Config config;
};

/// Measures sources that find_sources has found in `detected` with its configuration in the light of `pixels`, whose
/// sky is subtracted here (SExtractor's dual image mode; 2.25 run beside it). Of the image in which they were found are
/// then in `found`: which pixels are whose, `sums`, and so positions and shapes, and in found.found_in what thresholds
/// and errors of positions are made of; of the other the sky, `fluxes`, `variances`, `areas` and `photometry`, but for
/// the radii of Kron's and Petrosian's ellipses and the noise of positions. A pixel of a source that is masked in
/// `pixels` adds nothing to its flux, and the noise of the sky to its error; the source is flagged.
/// `last_read`: pixels.image, as of detect_sources.
void measure_elsewhere(const Pixels<Cpu>& detected, const Config& detected_config, const Pixels<Cpu>& pixels,
                       const Config& config, Detection<Cpu>& found, const Cpu& where, StageClock& clock,
                       Image<float, Cpu>* last_read);

}  // namespace srcextract
