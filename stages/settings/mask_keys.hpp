#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(GoodPixels) {
  return {"zero", "nonzero"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `mask`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_mask_field(AnySettings& c, F&& f) {
  const Section section{"mask", "Which pixels are left out"};
  for_each_map_field(section, c.mask, "a map of bad pixels, of the image's shape",
                     std::string(paired_hdus) + ". `auto` without a file: no map", {}, f);
  f(Field{.section = section,
          .key = "bits",
          .description = "Bits of the map that count: numbers from 0, or names in its header (`MP_BAD = 0`, as LSST "
                         "writes); none given = every bit",
          .allowed = "0 to 63, or names",
          .unused = bits_use(c.mask)},
    c.mask.bits);
  f(Field{.section = section,
          .key = "good",
          .description = "A pixel is good if these bits are all `zero`, or if one of them is set (`nonzero`)"},
    c.mask.good);
}

}  // namespace srcextract::config
