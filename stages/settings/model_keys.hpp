#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/model.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(ModelFit) {
  return {"none", "sersic", "exponential", "devaucouleurs", "sersic+disk", "devaucouleurs+disk", "point"};
}

inline std::vector<std::string> names_of(ModelSky) {
  return {"fixed", "free"};
}

inline std::vector<std::string> names_of(ModelPriors) {
  return {"none", "weak"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_model_field(AnySettings& c, F&& f) {
  const Section section{"model", "Profiles of galaxies, seen through the PSF, that are fitted to every source"};
  const ModelConfig usual;
  const auto of_model = [&](const auto& value, const auto& usual_value) {
    return use_problem(fits_galaxies(c), value, usual_value, "model.fit");
  };
  f(Field{.section = section,
          .key = "fit",
          .description = "Profile: `none`, `sersic`, `exponential`, `devaucouleurs`, `sersic+disk`, "
                         "`devaucouleurs+disk` or `point`. It needs a PSF: `psf.method: fit`, or `psf.file`",
          .problem = model_problem(c)},
    c.model.fit);
  f(Field{.section = section,
          .key = "sky",
          .description = "Level of the sky under a galaxy: `fixed` (as subtracted) or `free` (fitted with it)",
          .unused = of_model(c.model.sky, usual.sky)},
    c.model.sky);
  f(Field{.section = section,
          .key = "passes",
          .description = "How often all sources are fitted: the first time without the models of neighbours, the last "
                         "time minus these",
          .at_least = 1,
          .at_most = 10,
          .why = "more passes change nothing",
          .unused = of_model(c.model.passes, usual.passes)},
    c.model.passes);
  f(Field{.section = section,
          .key = "max_box",
          .description =
              "Largest side of the box of pixels that is fitted, of 32, 48, 64, 96, 128, 192 and 256; larger "
              "galaxies are fitted by their middle",
          .at_least = 32,
          .at_most = 256,
          .why = "a smaller box holds no galaxy with its sky, and a larger one takes too long",
          .unused = of_model(c.model.max_box, usual.max_box)},
    c.model.max_box);
  f(Field{.section = section,
          .key = "priors",
          .description = "What is known of shapes before: `weak` (axis ratio, index and size of galaxies, with wide "
                         "errors) or `none`",
          .unused = of_model(c.model.priors, usual.priors)},
    c.model.priors);
  f(Field{.section = section,
          .key = "rounds",
          .description = "Largest number of steps of a fit",
          .at_least = 1,
          .at_most = 1000,
          .why = "a fit that needs more does not end",
          .unused = of_model(c.model.rounds, usual.rounds)},
    c.model.rounds);
}

}  // namespace srcextract::config
