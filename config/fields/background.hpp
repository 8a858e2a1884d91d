#pragma once

#include "config/config.hpp"
#include "config/field.hpp"

namespace srcextract::config {

/// The keys of the section `background`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_background_field(AnyConfig& c, F&& f) {
  const Section section{"background", "The kappa-sigma clip that estimates sky level and noise"};
  f(Field{.section = section,
          .key = "kappa",
          .description = "Pixels at or beyond median ± kappa σ are clipped; at 1 or less a clip can remove every pixel",
          .above = 1,
          .at_most = 100,
          .why = "at 1 sigma or less a clip can remove every pixel, and 3 is usual"},
    c.background.kappa);
  f(Field{.section = section,
          .key = "max_iterations",
          .description = "Rounds of clipping; 0 = until nothing is clipped any more",
          .at_least = 0,
          .why = "0 means until nothing is clipped any more"},
    c.background.max_iterations);
}

}  // namespace srcextract::config
