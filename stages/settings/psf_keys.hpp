#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/psf.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(PsfWeights) {
  return {"model", "sky", "data"};
}

inline std::vector<std::string> names_of(PsfMethod) {
  return {"file", "fit"};
}
inline std::vector<std::string> names_of(PsfNormalise) {
  return {"aperture", "total"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_psf_field(AnySettings& c, F&& f) {
  const Section section{"psf", "The shape of stars, and fits of it"};
  const PsfConfig usual;
  const bool is_fitted = c.psf.method == PsfMethod::fit, is_known = is_fitted || !c.psf.file.empty();
  f(Field{.section = section,
          .key = "method",
          .description = "Where the shape is from: `file`, or `fit` (from the stars of the image itself, for which the "
                         "image is searched once more)"},
    c.psf.method);
  f(Field{.section = section,
          .key = "file",
          .description = "PSFEx's `.psf` of the image, for `FLUX_PSF` and the other columns of PSFs; empty = none",
          .is_path = true,
          .tables = psf_numbers,
          .unused =
              is_fitted && !c.psf.file.empty() ? "has no use where psf.method is fit; leave out one of them" : ""},
    c.psf.file);
  f(Field{.section = section,
          .key = "degree",
          .description = "Highest degree of the polynomial by which a fitted PSF varies over the field; lower where "
                         "stars are few. 0 = it does not vary",
          .at_least = 0,
          .at_most = 4,
          .why = "higher degrees follow the noise of single stars",
          .unused = use_problem(is_fitted, c.psf.degree, usual.degree, "psf.method fit")},
    c.psf.degree);
  f(Field{.section = section,
          .key = "normalise",
          .description = "Light that `FLUX_PSF` includes: `aperture` (within the aperture of the catalogue that PSFEx "
                         "read, as in SExtractor) or `total` (all light of the model; a fitted PSF always has it)",
          .unused = use_problem(is_known, c.psf.normalise, usual.normalise, "psf.file or psf.method fit")},
    c.psf.normalise);
  f(Field{.section = section,
          .key = "weights",
          .description = "Photons that count in the noise of a pixel: `model` (those of the fitted star), `sky` (none) "
                         "or `data` (those in the pixel, as in SExtractor; faint stars then get too little light)",
          .unused = use_problem(is_known, c.psf.weights, usual.weights, "psf.file or psf.method fit")},
    c.psf.weights);
}

}  // namespace srcextract::config
