#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"
#include "config/fields/map_fields.hpp"
#include "config/problems.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(FlagType) {
  return {"or", "and", "min", "max", "most"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `flags`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_flags_field(AnyConfig& c, F&& f) {
  const Section section{"flags", "What a map of flags says of the pixels of each source"};
  for_each_map_field(section, c.flags, "a map of the image's shape, of integers of up to 32 bits",
                     "HDUs of the map, as `mask.hdu` has them: paired with the images where several are selected", "",
                     f);
  f(Field{.section = section,
          .key = "type",
          .description = "How the flags of a source's pixels that are not 0 become IMAFLAGS_ISO: `or` and `and` of "
                         "their bits, the `min`imum, the `max`imum, or the one of `most` pixels, of equals that which "
                         "comes first",
          .problem = type_problem(c.flags)},
    c.flags.type);
  f(Field{.section = section,
          .key = "bits",
          .description = "Bits of the map that count, as `mask.bits`: numbers from 0, or names that its header gives "
                         "them; none given = every bit",
          .allowed = "0 to 31, or names",
          .problem = bits_problem(c.flags)},
    c.flags.bits);
}

}  // namespace srcextract::config
