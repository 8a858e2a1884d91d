#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(WeightType) {
  return {"none", "background", "rms", "variance", "weight"};
}

inline std::vector<std::string> names_of(Interpolate) {
  return {"none", "variance", "all"};
}

inline std::vector<std::string> names_of(BeyondThreshold) {
  return {"mask", "detect"};
}

}  // namespace srcextract

namespace srcextract::config {

/// Declares the keys of the section `weights` that are about the interpolation of bad pixels.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_interpolation_field(const Section& section, AnySettings& c, F&& f) {
  f(Field{.section = section,
          .key = "interpolate",
          .description = "What bad pixels of the map take from the last good pixel in their row, or else from the row "
                         "before: nothing (`none`, they are masked), its `variance`, or value and variance (`all`, "
                         "also for NaN and masked pixels)",
          .unused = map_use(c.weights, c.weights.interpolate != Interpolate::none)},
    c.weights.interpolate);
  f(Field{.section = section,
          .key = "interpolate_columns",
          .description = "Most bad pixels in succession along a row that are filled",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_columns)},
    c.weights.interpolate_columns);
  f(Field{.section = section,
          .key = "interpolate_rows",
          .description = "Most bad pixels in succession along a column that are filled from the row before",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_rows)},
    c.weights.interpolate_rows);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_weights_field(AnySettings& c, F&& f) {
  const Section section{"weights", "How noisy each pixel is"};
  f(Field{.section = section,
          .key = "type",
          .description = "`none` (one σ), `background` (the noise of the mesh), or a map of the image's shape with "
                         "`rms` (σ), `variance` (σ²) or `weight` (1 / σ²) of each pixel. A value that is not finite or "
                         "not above 0 masks the pixel",
          .problem = type_problem(c.weights)},
    c.weights.type);
  const MapKeys keys{.file_unused = map_use(c.weights, !c.weights.file.empty()),
                     .hdu_unused = map_use(c.weights, c.weights.hdu != "auto")};
  for_each_map_field(section, c.weights, "the map", "HDUs of the map, as `mask.hdu`", keys, f);
  f(Field{.section = section,
          .key = "threshold",
          .description = "A pixel is bad if its `weight` is at most this, or its `rms` or `variance` at least this, in "
                         "the map's units; 0 = none",
          .at_least = 0,
          .unused = map_use(c.weights, c.weights.threshold != 0)},
    c.weights.threshold);
  f(Field{.section = section,
          .key = "beyond",
          .description = "Use of pixels beyond `threshold`: none (`mask`), or as in SExtractor: the sky and apertures "
                         "leave them out, but sources are found on them, and isophotal sums count them (`detect`). "
                         "With `detect` and `rescale`, apertures and `interpolate` compare the threshold with rescaled "
                         "variances: give a calibrated map",
          .unused = beyond_use(c.weights)},
    c.weights.beyond);
  f(Field{.section = section,
          .key = "rescale",
          .description = "Take the noise from the background, and from a `variance` or `weight` map only the ratios "
                         "between pixels: for maps without a known scale. An `rms` map is never rescaled"},
    c.weights.rescale);
  f(Field{.section = section,
          .key = "scale_gain",
          .description = "The gain of a pixel is in proportion to its weight, so that photon noise goes with its "
                         "variance (WEIGHT_GAIN), in errors of fluxes and of windowed positions"},
    c.weights.scale_gain);
  f(Field{.section = section,
          .key = "convolve",
          .description = "With a filter: convolve the variances too, for thresholds, as SExtractor does. Otherwise a "
                         "convolved pixel has the noise of the pixel",
          .unused = map_use(c.weights, c.weights.convolve)},
    c.weights.convolve);
  for_each_interpolation_field(section, c, f);
}

}  // namespace srcextract::config
