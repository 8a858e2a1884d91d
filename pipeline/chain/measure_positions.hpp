#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// The configuration of a run in which nothing is found, with the columns that make_catalog is to make.
Config forced_config(Config config, bool ellipses);

/// Subtracts the sky of an image in which light is measured at given places, by such a configuration, with the noise
/// that a map of weights or the sky has. `done` and `last_read`: as of detect_sources.
template <class Where, class Done>
Detection<Where> prepare_positions(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  subtract_own_sky(pixels, config, found, where, done, last_read);
  found.levels =
      LevelsOf<Where>(measured_image(pixels, found), pixels, config, found, where)(config.detection.threshold);
  return found;
}

/// Measures light at places of the image and noise that prepare_positions has left (measure_forced): on the host, for
/// both back ends, for places are few. What is in `found` then makes make_catalog a row for each, in their order;
/// BACKGROUND and errors are those of the pixel that the place is in.
void measure_positions(const ForcedPositions& positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                       const Config& config, Detection<Cpu>& found, const Cpu& where);

}  // namespace srcextract
