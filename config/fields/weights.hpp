#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"
#include "config/problems.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(WeightType) {
  return {"none", "background", "rms", "variance", "weight"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `weights`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_weights_field(AnyConfig& c, F&& f) {
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
  f(Field{.section = section,
          .key = "file",
          .description = "FITS file that holds the map; the path is relative to the working directory. Empty = the "
                         "image's own file, of which `hdu` is another HDU",
          .is_path = true,
          .problem = map_problem(c.weights, !c.weights.file.empty())},
    c.weights.file);
  f(Field{.section = section,
          .key = "hdu",
          .description =
              "HDUs of the map: as `input.hdu`, of the image's own file without `auto` and `all`. Where several images "
              "are selected, as many maps are paired with them: of the image's own file by EXTVER where both have it, "
              "of `file` by EXTNAME where the names are the same (`auto`: of all its images), and else by order. One "
              "HDU may serve all images",
          .allowed = "as `input.hdu`",
          .problem = hdu_problem(c.weights)},
    c.weights.hdu);
  f(Field{.section = section,
          .key = "threshold",
          .description = "Masks pixels whose `weight` is at most this, or whose `rms` or `variance` is at least this, "
                         "in the map's units; 0 = none",
          .at_least = 0,
          .problem = map_problem(c.weights, c.weights.threshold != 0)},
    c.weights.threshold);
  f(Field{.section = section,
          .key = "rescale",
          .description =
              "Take from a `variance` or `weight` map only how its pixels compare, and the noise itself from "
              "the background: for maps that are known but for a factor. An `rms` map is taken as it is"},
    c.weights.rescale);
}

}  // namespace srcextract::config
