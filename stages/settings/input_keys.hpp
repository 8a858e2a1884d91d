#pragma once

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract::config {

/// The keys of the section `input`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_input_field(AnySettings& c, F&& f) {
  const Section section{"input", "Which pixels of the file are used"};
  f(Field{.section = section,
          .key = "hdu",
          .description = "HDUs to read: `auto` (the first image), `all` (every image), a number (0 is the primary "
                         "HDU), an EXTNAME (the first of that name), `EXTNAME,EXTVER`, a pattern such as `'SCI*'` or "
                         "`'SCI,*'`, or a list of these. Each is extracted by itself, in the order of the file. `all` "
                         "and patterns leave out masks and the HDUs of `weights.hdu` and `mask.hdu`. An EXTNAME made "
                         "of digits, `auto` or `all` can be reached by number only",
          .allowed = "`auto`, `all`, 0, 1, …, names and patterns of at most 68 characters, or a list",
          .problem = names_problem(c.input.hdu)},
    c.input.hdu);
  f(Field{.section = section,
          .key = "plane",
          .description = "Plane of a cube, from 1, counted through all axes above the second",
          .at_least = 1,
          .why = "planes are counted from 1"},
    c.input.plane);
}

}  // namespace srcextract::config
