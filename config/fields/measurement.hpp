#pragma once

#include "config/config.hpp"
#include "config/field.hpp"
#include "config/fields/detection.hpp"

namespace srcextract::config {

/// The keys of the section `measurement`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_measurement_field(AnyConfig& c, F&& f) {
  const Section section{"measurement", "What is summed over the pixels of a source"};
  f(Field{.section = section,
          .key = "reference",
          .description =
              "Level subtracted from every pixel that is measured: `background` (the clipped median) or `zero`"},
    c.measurement.reference);
  f(Field{.section = section,
          .key = "gain",
          .description = "Detector gain in e⁻/count, for the Poisson term of FLUXERR_ISO; 0 = no such term",
          .at_least = 0,
          .why = "0 leaves the Poisson term out"},
    c.measurement.gain);
}

}  // namespace srcextract::config
