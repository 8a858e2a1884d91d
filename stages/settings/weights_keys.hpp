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

/// The keys of the section `weights` about bad pixels.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_interpolation_field(const Section& section, AnySettings& c, F&& f) {
  f(Field{.section = section,
          .key = "interpolate",
          .description = "What pixels that a map calls bad take over from the good pixel before them in their row, or "
                         "else from the row before: nothing (`none`, they are masked), the `variance`, so that their "
                         "own value counts, or value and variance (`all`, also where the image is NaN or a mask leaves "
                         "it out)",
          .unused = map_use(c.weights, c.weights.interpolate != Interpolate::none)},
    c.weights.interpolate);
  f(Field{.section = section,
          .key = "interpolate_columns",
          .description = "Most pixels in succession along a row that take over from the good one before them",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_columns)},
    c.weights.interpolate_columns);
  f(Field{.section = section,
          .key = "interpolate_rows",
          .description = "Most pixels along a column that take over from the row before them, where their own row "
                         "gives none",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_rows)},
    c.weights.interpolate_rows);
}

/// The keys of the section `weights`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_weights_field(AnySettings& c, F&& f) {
  const Section section{"weights", "How noisy each pixel is"};
  f(Field{.section = section,
          .key = "type",
          .description =
              "`none` (σ is the same all over), `background` (as the mesh tells; with a constant background "
              "that is the same all over, too), or what a map of the image's shape holds for every pixel: "
              "`rms` (σ), `variance` (σ²) or `weight` (1 / σ²). What is not above 0, or not finite, in a map "
              "masks the pixel",
          .problem = type_problem(c.weights)},
    c.weights.type);
  const MapKeys keys{.file_unused = map_use(c.weights, !c.weights.file.empty()),
                     .hdu_unused = map_use(c.weights, c.weights.hdu != "auto")};
  for_each_map_field(section, c.weights, "the map", paired_hdus, keys, f);
  f(Field{.section = section,
          .key = "threshold",
          .description =
              "Pixels are bad whose `weight` is at most this, or whose `rms` or `variance` is at least this, "
              "in the map's units; 0 = none",
          .at_least = 0,
          .unused = map_use(c.weights, c.weights.threshold != 0)},
    c.weights.threshold);
  f(Field{.section = section,
          .key = "beyond",
          .description = "What becomes of pixels beyond `threshold`: nothing of them counts (`mask`); or, as in "
                         "SExtractor, the sky and apertures leave them out, but sources are found on them, and "
                         "isophotal sums count them (`detect`). With `detect` and `rescale`, apertures and "
                         "`interpolate` compare the threshold with variances that are rescaled, as SExtractor does: "
                         "give a map that is calibrated",
          .unused = beyond_use(c.weights)},
    c.weights.beyond);
  f(Field{.section = section,
          .key = "rescale",
          .description =
              "Take from a `variance` or `weight` map only how its pixels compare, and the noise itself from "
              "the background: for maps that are known but for a factor. An `rms` map is taken as it is"},
    c.weights.rescale);
  f(Field{.section = section,
          .key = "convolve",
          .description =
              "Where sources are found in a convolved image, convolve the map's variances as well, of which "
              "thresholds are made, as SExtractor does: otherwise the noise of a convolved pixel is taken to be "
              "that of the pixel",
          .unused = map_use(c.weights, c.weights.convolve)},
    c.weights.convolve);
  for_each_interpolation_field(section, c, f);
}

}  // namespace srcextract::config
