#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(FitModel) {
  return {"none", "gaussians"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_fit_field(AnySettings& c, F&& f) {
  const Section section{"fit", "Gaussians that are fitted to the islands of a radio map"};
  const FitConfig usual;
  const auto of_fit = [&](const auto& value, const auto& usual_value) {
    return use_problem(fits_gaussians(c), value, usual_value, "fit.model gaussians");
  };
  f(Field{.section = section,
          .key = "model",
          .description = "Model of each island: `none`, or `gaussians`, whose tables `output.catalogues` names",
          .problem = fit_problem(c)},
    c.fit.model);
  f(Field{.section = section,
          .key = "max_components",
          .description = "Largest number of Gaussians in an island; the brightest are fitted",
          .at_least = 1,
          .at_most = 1000,
          .why = "more take too long",
          .unused = of_fit(c.fit.max_components, usual.max_components)},
    c.fit.max_components);
  f(Field{.section = section,
          .key = "radius",
          .description = "Pixels within this many FWHM of a component are fitted",
          .at_least = 0.3,
          .at_most = 3,
          .why = "fewer pixels do not tell a shape, and more add noise",
          .unused = of_fit(c.fit.radius, usual.radius)},
    c.fit.radius);
  f(Field{.section = section,
          .key = "rounds",
          .description = "Largest number of trial steps of a fit",
          .at_least = 1,
          .at_most = 1000,
          .why = "a fit that needs more does not end",
          .unused = of_fit(c.fit.rounds, usual.rounds)},
    c.fit.rounds);
  f(Field{.section = section,
          .key = "refine",
          .description = "How many times a Gaussian is added if the residual still has a pixel above `detection.seed`",
          .at_least = 0,
          .at_most = 3,
          .why = "each is another fit of the island",
          .unused = of_fit(c.fit.refine, usual.refine)},
    c.fit.refine);
  f(Field{.section = section,
          .key = "noise_area",
          .description = "Area of the noise's autocorrelation in beams, for errors: 2 for white noise seen through the "
                         "beam, 1 for a dirty map; 0 = measured",
          .at_least = 0,
          .at_most = 20,
          .why = "2 is white noise seen through the beam",
          .unused = of_fit(c.fit.noise_area, usual.noise_area)},
    c.fit.noise_area);
  f(Field{.section = section,
          .key = "group_tolerance",
          .description = "Gaussians of an island are one source unless the light between them falls by more than this "
                         "many `detection.threshold` σ below the fainter one",
          .at_least = 0,
          .at_most = 1000,
          .unused = of_fit(c.fit.group_tolerance, usual.group_tolerance)},
    c.fit.group_tolerance);
  f(Field{.section = section,
          .key = "large",
          .description = "Islands of more pixels get moments in place of a fit, which bounds the time",
          .at_least = 6,
          .at_most = 1'000'000,
          .why = "a fit of a Gaussian needs 6 pixels, and larger islands take too long",
          .unused = of_fit(c.fit.large, usual.large)},
    c.fit.large);
  f(Field{.section = section,
          .key = "reliability",
          .description = "Also extract the negated map. The column RELIABILITY is then 1 - negative / positive sources "
                         "of equal S/N",
          .unused = of_fit(c.fit.reliability, usual.reliability)},
    c.fit.reliability);
  f(Field{.section = section,
          .key = "channels",
          .description = "Measure the Gaussians in every channel of the cube, at their places and with their shapes, "
                         "and fit spectral indices",
          .unused = of_fit(c.fit.channels, usual.channels)},
    c.fit.channels);
  f(Field{.section = section,
          .key = "stokes",
          .description = "Measure the Gaussians in the planes of Stokes Q, U and V",
          .unused = of_fit(c.fit.stokes, usual.stokes)},
    c.fit.stokes);
  f(Field{.section = section,
          .key = "cube",
          .description = "FITS file with the planes for `channels` and `stokes`, on the pixels of the image; relative "
                         "to the working directory. Empty = the image's own file",
          .is_path = true,
          .unused = use_problem(measures_cube(c), c.fit.cube, usual.cube, "fit.channels or fit.stokes")},
    c.fit.cube);
}

}  // namespace srcextract::config
