#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(CrowdMethod) {
  return {"none", "joint"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_crowd_field(AnySettings& c, F&& f) {
  const Section section{"crowd", "Stars of a crowded field, all fitted at once"};
  const CrowdConfig usual;
  const auto of_crowd = [&](const auto& value, const auto& usual_value) {
    return use_problem(fits_crowd(c), value, usual_value, "crowd.method joint");
  };
  f(Field{.section = section,
          .key = "method",
          .description = "`none`, or `joint`: in place of detection, stars of the PSF are found and fitted all at "
                         "once, together with the sky",
          .problem = crowd_problem(c)},
    c.crowd.method);
  f(Field{.section = section,
          .key = "threshold",
          .description = "Least significance of a new star, in the image without the stars that are fitted already",
          .at_least = 3,
          .at_most = 1000,
          .why = "a lower one finds noise",
          .unused = of_crowd(c.crowd.threshold, usual.threshold)},
    c.crowd.threshold);
  f(Field{.section = section,
          .key = "turns",
          .description = "Turns of finding stars and fitting all of them; the last fits fluxes alone",
          .at_least = 2,
          .at_most = 30,
          .why = "later turns find nothing",
          .unused = of_crowd(c.crowd.turns, usual.turns)},
    c.crowd.turns);
  f(Field{.section = section,
          .key = "sky_size",
          .description = "Side, in pixels, of the squares at whose corners the sky is fitted",
          .at_least = 16,
          .at_most = 100'000,
          .why = "a smaller one takes the light of stars for sky",
          .unused = of_crowd(c.crowd.sky_size, usual.sky_size)},
    c.crowd.sky_size);
  f(Field{.section = section,
          .key = "tile_size",
          .description = "Side, in pixels, of tiles that are fitted one after the other with their surroundings, where "
                         "memory does not hold all stars; 0 = the whole image",
          .at_least = 0,
          .at_most = 1'000'000,
          .unused = of_crowd(c.crowd.tile_size, usual.tile_size),
          .problem = c.crowd.tile_size > 0 && c.crowd.tile_size < 2 * c.crowd.sky_size
                         ? "is smaller than two squares of crowd.sky_size; raise it"
                         : ""},
    c.crowd.tile_size);
  f(Field{.section = section,
          .key = "inject",
          .description = "Stars added to the image, which is fitted again, for the columns `COMPLETENESS` and "
                         "`ERR_CONF`; 0 = none",
          .at_least = 0,
          .at_most = 10'000'000,
          .unused = of_crowd(c.crowd.inject, usual.inject)},
    c.crowd.inject);
}

}  // namespace srcextract::config
