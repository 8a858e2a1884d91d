#pragma once

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/observer.hpp"
#include "stages/crowd/fit_crowd.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {

/// Returns the configuration of a run that measures given positions and detects nothing. Its columns are those that
/// make_catalog() writes for such a run. `ellipses`: whether positions come with ellipses, in which light is measured
/// too.
Config forced_config(Config config, bool ellipses);

/// Returns the configuration of a run that fits all stars of an image at once.
Config crowd_config(Config config);

/// Subtracts the sky of an image that is measured at given positions, and finds its noise, from a weight map or from
/// the sky. `config` must come from forced_config(). `done` and `last_read` are explained at detect_sources().
template <class Where, class Done>
Detection<Where> prepare_positions(const Pixels<Where>& pixels, const Plan& plan, const Where& where, Done&& done,
                                   Image<float, Where>* last_read = nullptr) {
  Detection<Where> found;
  DetectionState state(pixels, plan, found, where, done, last_read);
  run_steps(JoinedList<BackgroundSteps, PartList<FindOwnNoise, FindLevels>>(), state);
  return found;
}

/// Measures the light at given positions (measure_forced) in the image and noise that prepare_positions() left. Runs on
/// the CPU for both back ends, since positions are few.
///
/// make_catalog() then writes one row for each position, in the same order. BACKGROUND and errors are those of the
/// pixel at the position.
void measure_positions(const ForcedPositions& positions, const Image<float, Cpu>& image, const Image<float, Cpu>& noise,
                       const Config& config, Detection<Cpu>& found, const Cpu& where);

/// The input of the fit of all stars. `image` and `variance` point to the memory of the back end; `variance` is null if
/// all pixels have the same noise. `found` must come from prepare_positions().
CrowdImage crowd_image(const float* image, const float* variance, const Shape& shape, const Config& config,
                       const Detection<Cpu>& found);
/// Which images of the fit are kept for check images.
CrowdPlanes planes_of_crowd(const Config& config);
std::vector<CrowdPlace> crowd_places(const ForcedPositions& positions);
/// Stores the fit in `found`, with sums over one pixel for each fitted star. `mapped`: whether a map gives the noise.
void keep_crowd(CrowdFit fit, const Shape& shape, bool mapped, Detection<Cpu>& found);

/// Finds all stars of an image and fits them at once. With `positions`, fits stars at these positions and searches for
/// none. Differs from measure_positions() also in that it runs on the back end that has the image.
template <class Where>
void measure_crowd(const ForcedPositions* positions, const Image<float, Where>& image, const Image<float, Where>& noise,
                   const Config& config, Detection<Cpu>& found, const Where& where, const Observer& observer) {
  const std::vector<double>& numbers = *config.resources.numbers_of(psf_key);
  CrowdImage pixels = crowd_image(image.pixels.data(), noise.pixels.data(), image.shape, config, found);
  pixels.needs = observer.on_crowd;
  const std::vector<CrowdPlace> places = positions != nullptr ? crowd_places(*positions) : std::vector<CrowdPlace>{};
  keep_crowd(fit_crowd(pixels, PsfModel(numbers.data()), config.crowd, where, positions != nullptr ? &places : nullptr,
                       planes_of_crowd(config)),
             image.shape, !noise.pixels.empty(), found);
}

}  // namespace srcextract
