#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(BackgroundMethod) {
  return {"constant", "mesh"};
}
inline std::vector<std::string> names_of(BackgroundEstimator) {
  return {"mode", "sextractor", "median"};
}
inline std::vector<std::string> names_of(NoiseBetweenNodes) {
  return {"bounded", "sextractor"};
}
inline std::vector<std::string> names_of(BackgroundSurface) {
  return {"spline", "quadric"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_background_field(AnySettings& c, F&& f) {
  const Section section{"background", "How sky level and noise are estimated"};
  const BackgroundConfig usual;
  const auto of_mesh = [&](const auto& value, const auto& usual_value) {
    return use_problem(c.background.method == BackgroundMethod::mesh, value, usual_value, "background.method mesh");
  };
  f(Field{.section = section,
          .key = "method",
          .description = "`mesh` (level and noise of meshes, with a smooth surface through them, as in SExtractor) or "
                         "`constant` (one level and one σ)",
          .problem = method_problem(c)},
    c.background.method);
  f(Field{.section = section,
          .key = "kappa",
          .description = "Pixels at or beyond median ± kappa σ are clipped; at 1 or less a clip can remove every pixel",
          .above = 1,
          .at_most = 100,
          .why = "at 1 sigma or less a clip can remove every pixel, and 3 is usual"},
    c.background.kappa);
  f(Field{.section = section,
          .key = "max_iterations",
          .description = "Rounds of clipping of `constant`; 0 = until nothing is clipped",
          .at_least = 0,
          .why = "0 means until nothing is clipped any more"},
    c.background.max_iterations);
  f(Field{.section = section,
          .key = "mesh_size",
          .description = "Side of a mesh in pixels: larger than the largest source, smaller than the scale on which "
                         "the sky varies",
          .at_least = least_mesh_size,
          .at_most = most_mesh_size,
          .why = "in a smaller mesh there is too little sky",
          .unused = first_of(of_mesh(c.background.mesh_size, usual.mesh_size), mesh_size_use(c.background))},
    c.background.mesh_size);
  f(Field{.section = section,
          .key = "mesh_beams",
          .description = "Side of a mesh in beams of a radio map (section `beam`), in place of `mesh_size`; 0 = "
                         "`mesh_size` counts",
          .at_least = 0,
          .at_most = 10000,
          .unused = of_mesh(c.background.mesh_beams, usual.mesh_beams),
          .problem = mesh_beams_problem(c.background)},
    c.background.mesh_beams);
  f(Field{.section = section,
          .key = "mesh_height",
          .description = "Height of a mesh in pixels, if it differs from `mesh_size`; 0 = squares",
          .at_least = 0,
          .at_most = 1 << 20,
          .unused = of_mesh(c.background.mesh_height, usual.mesh_height),
          .problem = mesh_height_problem(c.background)},
    c.background.mesh_height);
  f(Field{.section = section,
          .key = "estimator",
          .description = "Level of a mesh from its unclipped pixels: `mode` (2.5 median - 1.5 mean, or the median "
                         "where it is crowded), `median`, or `sextractor` (SExtractor's mode: its median is a pixel's "
                         "value, up to 0.6 sigma wrong in whole numbers with a noise of 2)",
          .unused = of_mesh(c.background.estimator, usual.estimator)},
    c.background.estimator);
  f(Field{.section = section,
          .key = "rms_map",
          .description =
              "Noise between the centres of meshes: `bounded` (a smooth surface that stays within the noise of "
              "the meshes around a pixel) or `sextractor` (SExtractor's spline, which undershoots beside a "
              "step of the noise, even below 0)",
          .unused = of_mesh(c.background.rms_map, usual.rms_map)},
    c.background.rms_map);
  f(Field{.section = section,
          .key = "filter_size",
          .description = "Meshes along each side of the median filter, odd; 1 = none",
          .at_least = 1,
          .at_most = 15,
          .unused = of_mesh(c.background.filter_size, usual.filter_size),
          .problem = filter_size_problem(c.background)},
    c.background.filter_size);
  f(Field{.section = section,
          .key = "filter_height",
          .description = "Height of the median filter in meshes, odd; 0 = as `filter_size`",
          .at_least = 0,
          .at_most = 15,
          .unused = of_mesh(c.background.filter_height, usual.filter_height),
          .problem = filter_height_problem(c.background)},
    c.background.filter_height);
  f(Field{.section = section,
          .key = "filter_threshold",
          .description =
              "The filter replaces meshes whose level differs from the median by at least this, in pixel units",
          .at_least = 0,
          .unused = of_mesh(c.background.filter_threshold, usual.filter_threshold)},
    c.background.filter_threshold);
  f(Field{.section = section,
          .key = "refine",
          .description = "Passes over the meshes. With 2, the second pass masks the islands that the first one found, "
                         "so that the wings of sources do not count as noise",
          .one_of = {1, 2},
          .why = "a third pass changes nothing",
          .unused = of_mesh(c.background.refine, usual.refine)},
    c.background.refine);
  f(Field{.section = section,
          .key = "surface",
          .description =
              "Level between meshes: `spline` (through their filtered levels), or `quadric` (through quadrics "
              "over 13 × 13 meshes without light as faint as 0.3 σ a pixel; for faint extended sources)",
          .unused = of_mesh(c.background.surface, usual.surface)},
    c.background.surface);
  f(Field{.section = section,
          .key = "level",
          .description = "A known level of the sky, which is subtracted and not estimated: a number in pixel units, or "
                         "a FITS file with a map of the image's shape. A pixel of the map that is not finite masks the "
                         "pixel. The path is relative to the working directory. Empty = estimated, or the image's own "
                         "file if `level_hdu` names another HDU",
          .is_path = true,
          .is_number = true,
          .allowed = "a number, or a path",
          .problem = level_problem(c)},
    c.given_sky.level);
  f(Field{.section = section,
          .key = "level_hdu",
          .description = "HDUs of that map, as `mask.hdu`",
          .allowed = "as `input.hdu`",
          .unused = level_hdu_use(c.given_sky),
          .problem = level_hdu_problem(c.given_sky)},
    c.given_sky.level_hdu);
  f(Field{.section = section,
          .key = "rms",
          .description = "A known noise of every pixel: a number above 0, in pixel units. Empty = estimated. For a map "
                         "use `weights.type: rms`",
          .is_number = true,
          .allowed = "a number above 0",
          .problem = rms_problem(c.given_sky)},
    c.given_sky.rms);
}

}  // namespace srcextract::config
