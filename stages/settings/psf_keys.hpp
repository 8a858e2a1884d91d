#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/psf.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(PsfWeights) {
  return {"model", "sky", "data"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `psf`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_psf_field(AnySettings& c, F&& f) {
  const Section section{"psf", "The shape of stars, and fits of it"};
  f(Field{.section = section,
          .key = "file",
          .description = "PSFEx's `.psf` of the image, for `FLUX_PSF` and the other columns of PSFs; empty = none",
          .is_path = true,
          .tables = psf_numbers},
    c.psf.file);
  f(Field{.section = section,
          .key = "weights",
          .description =
              "Photons that count in the noise of a pixel: those of the fitted star (`model`), none (`sky`), or "
              "those in the pixel (`data`, as SExtractor; faint stars get too little light)",
          .unused = c.psf.file.empty() && c.psf.weights != PsfWeights::model ? "has no use without psf.file" : ""},
    c.psf.weights);
}

}  // namespace srcextract::config
