#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"
#include "config/problems.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(GoodPixels) {
  return {"zero", "nonzero"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `mask`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_mask_field(AnyConfig& c, F&& f) {
  const Section section{"mask", "Which pixels are left out"};
  f(Field{.section = section,
          .key = "file",
          .description =
              "FITS file that holds a map of the image's shape, which tells which pixels are bad; the path is "
              "relative to the working directory. Empty = the image's own file, of which `hdu` is another HDU",
          .is_path = true},
    c.mask.file);
  f(Field{.section = section,
          .key = "hdu",
          .description =
              "HDUs of the map: as `input.hdu`, of the image's own file without `auto` and `all`. Where several images "
              "are selected, as many maps are paired with them: of the image's own file by EXTVER where both have it, "
              "of `file` by EXTNAME where the names are the same (`auto`: of all its images), and else by order. One "
              "HDU may serve all images. `auto` without a file: no map",
          .allowed = "as `input.hdu`",
          .problem = hdu_problem(c.mask)},
    c.mask.hdu);
  f(Field{.section = section,
          .key = "bits",
          .description =
              "Bits of the map that count: numbers from 0, or names that its header gives them (`MP_BAD = 0`, "
              "as LSST writes); none given = every bit",
          .allowed = "0 to 63, or names",
          .problem = bits_problem(c.mask)},
    c.mask.bits);
  f(Field{.section = section,
          .key = "good",
          .description = "Pixels are good where these bits are all `zero`, or where one of them is not (`nonzero`)"},
    c.mask.good);
}

}  // namespace srcextract::config
