#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The configuration of a run in which nothing is found, with the columns that make_catalog is to make.
Config forced_config(Config config, bool ellipses);

/// Measures light at places of an image whose sky is subtracted here, with the noise that a map of weights or the sky
/// has (measure_forced). What is returned makes make_catalog a row for each, in their order; BACKGROUND and errors are
/// those of the pixel that the place is in. `last_read`: pixels.image, as of detect_sources.
Detection<Cpu> measure_positions(const Pixels<Cpu>& pixels, const Config& config, const ForcedPositions& positions,
                                 const Cpu& where, StageClock& clock, Image<float, Cpu>* last_read);

}  // namespace srcextract
