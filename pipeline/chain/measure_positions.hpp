#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// Returns the configuration of a run that measures given positions and detects nothing, with the columns that
/// make_catalog writes for it. `ellipses`: positions have ellipses, in which light is measured too.
Config forced_config(Config config, bool ellipses);

/// The configuration of a run that fits all stars of an image at once.
Config crowd_config(Config config);

/// Subtracts the sky of an image measured at given positions, and finds its noise from a map of weights or the sky.
/// `config` is a forced_config. `done` and `last_read` are as in detect_sources.
template <class Where, class Done>
Detection<Where> prepare_positions(const Pixels<Where>& pixels, const Config& config, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  subtract_own_sky(pixels, config, found, where, done, last_read);
  found.levels = LevelsOf<Where>(pixels, config, found, where)(config.detection.threshold);
  return found;
}

/// Measures the light at positions, from the image and noise that prepare_positions left (measure_forced). Runs on the
/// host for both back ends, since positions are few. make_catalog then makes one row for each, in their order.
/// BACKGROUND and errors are those of the pixel at the position.
void measure_positions(const ForcedPositions& positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                       const Config& config, Detection<Cpu>& found, const Cpu& where);

/// Finds all stars of an image and fits them at once; if positions are given, fits stars there and finds none.
/// Otherwise as measure_positions.
void measure_crowd(const ForcedPositions* positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                   const Config& config, Detection<Cpu>& found, const Cpu& where, const Observer& observer);

/// Calls measure_crowd or measure_positions, as the configuration asks. `positions` may be null only for a crowd.
inline void measure_places(const ForcedPositions* positions, const Image<float, Cpu>& image,
                           const Image<float, Cpu>& noise, const Config& config, Detection<Cpu>& found,
                           const Cpu& where, const Observer& observer) {
  if (fits_crowd(config))
    measure_crowd(positions, image, noise, config, found, where, observer);
  else
    measure_positions(*positions, image, noise, config, found, where);
}

}  // namespace srcextract
