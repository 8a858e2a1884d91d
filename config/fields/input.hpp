#pragma once

#include "config/config.hpp"
#include "config/field.hpp"

namespace srcextract::config {

/// The keys of the section `input`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_input_field(AnyConfig& c, F&& f) {
  const Section section{"input", "Which pixels of the file are used"};
  f(Field{.section = section,
          .key = "hdu",
          .description = "HDU to read: `auto` (the first that holds an image), a number (0 is the primary HDU), an "
                         "EXTNAME, or `all`; an EXTNAME made of digits, `auto` or `all` can be reached by number only",
          .allowed = "`auto`, `all`, 0, 1, …, or an EXTNAME of at most 68 characters"},
    c.input.hdu);
  f(Field{.section = section,
          .key = "plane",
          .description = "Plane of a cube, from 1, counted through all axes above the second",
          .at_least = 1,
          .why = "planes are counted from 1"},
    c.input.plane);
}

}  // namespace srcextract::config
