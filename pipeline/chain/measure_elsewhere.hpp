#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// The image in which sources are found, where others of the same pixels are measured.
struct DetectionImage {
  Exposure exposure;
  Config config;
};

/// Sources as they were found in one image, to be measured in any number of others of its shape.
struct FoundElsewhere {
  Pixels<Cpu> pixels;    ///< of the image in which they were found
  Detection<Cpu> found;  ///< of which what measuring them looks at is left, with `sums`
  FoundSky<Cpu> sky;     ///< of that image
};

/// Keeps what find_sources has found in `pixels` with this configuration, which must outlive it.
FoundElsewhere keep_found(Pixels<Cpu>&& pixels, const Config& config, Detection<Cpu>&& found, const Cpu& where,
                          StageClock& clock);

/// Measures these sources in the light of `pixels`, whose sky is subtracted here (SExtractor's dual image mode; 2.25
/// run beside it). Of the image in which they were found are then in what is returned: which pixels are whose, `sums`,
/// and so positions and shapes, and in its found_in what thresholds and errors of positions are made of; of the other
/// the sky, `fluxes`, `variances`, `areas` and `photometry`, but for the radii of Kron's and Petrosian's ellipses and
/// the noise of positions. A pixel of a source that is masked in `pixels` adds nothing to its flux, and the noise of
/// the sky to its error; the source is flagged. `last_read`: pixels.image, as of detect_sources.
Detection<Cpu> measure_elsewhere(const FoundElsewhere& sources, const Pixels<Cpu>& pixels, const Config& config,
                                 const Cpu& where, StageClock& clock, Image<float, Cpu>* last_read);

}  // namespace srcextract
