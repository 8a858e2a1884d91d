#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(BeamSource) {
  return {"auto", "header", "table", "history", "given"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_beam_field(AnySettings& c, F&& f) {
  const Section section{"beam", "The beam of a radio map"};
  const BeamConfig usual;
  const bool given = c.beam.source == BeamSource::given;
  f(Field{.section = section,
          .key = "source",
          .description = "Where the beam is taken from: `auto` (the first of the others that has it), `table` (CASA's "
                         "table BEAMS), `header` (BMAJ, BMIN, BPA), `history` (AIPS' cards HISTORY) or `given` (the "
                         "keys below)",
          .unused = use_problem(uses_beam(c), c.beam.source, usual.source, beam_users)},
    c.beam.source);
  f(Field{.section = section,
          .key = "fwhm",
          .description = "With `given`: full widths at half maximum of the major and the minor axis, in arcseconds",
          .allowed = "two numbers above 0, the larger first",
          .unused = use_problem(given, c.beam.fwhm, usual.fwhm, "beam.source given"),
          .problem = beam_width_problem(c.beam)},
    c.beam.fwhm);
  f(Field{.section = section,
          .key = "angle",
          .description = "With `given`: position angle of the major axis, in degrees from north through east",
          .at_least = -360,
          .at_most = 360,
          .why = "it is an angle in degrees",
          .unused = use_problem(given, c.beam.angle, usual.angle, "beam.source given")},
    c.beam.angle);
}

}  // namespace srcextract::config
