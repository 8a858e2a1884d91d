#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/map_keys.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(FlagType) {
  return {"or", "and", "min", "max", "most"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of one map of flags.
template <MaybeConst<FlagMapConfig> AnyMap, class F>
void for_each_flag_map_field(const Section& section, AnyMap& map, const std::string& file_problem, F&& f) {
  for_each_map_field(section, map, "a map of the image's shape, of integers of up to 32 bits",
                     "HDUs of the map, as `mask.hdu`", {.file_problem = file_problem}, f);
  f(Field{.section = section,
          .key = "type",
          .description = "How the nonzero flags of a source's pixels become IMAFLAGS_ISO: `or` or `and` of their bits, "
                         "the `min`imum, the `max`imum, or the flag of `most` pixels (of equals the first)",
          .unused = type_use(map)},
    map.type);
  f(Field{.section = section,
          .key = "bits",
          .description = "Bits of the map that count, as `mask.bits`; none given = every bit",
          .allowed = "0 to 31, or names",
          .unused = bits_use(map)},
    map.bits);
}

/// The keys of the section `flags`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_flags_field(AnySettings& c, F&& f) {
  const Section section{"flags", "What maps of flags say of the pixels of each source"};
  std::conditional_t<std::is_const_v<AnySettings>, const FlagMapConfig, FlagMapConfig>& first = c.flags;
  for_each_flag_map_field(section, first, "", f);
  f(Field{.section = section,
          .key = "further",
          .description = "More maps, each with the keys above, as in `[{hdu: DQ2, type: max}]`. The first has the "
                         "columns IMAFLAGS_ISO_1 and NIMAFLAGS_ISO_1, and so on",
          .allowed = "at most 99",
          .unused = further_use(c.flags),
          .problem = further_problem(c.flags)},
    c.flags.further);
}

}  // namespace srcextract::config

namespace srcextract {

/// The keys of a map in the list `flags.further`.
template <config::MaybeConst<FlagMapConfig> AnyMap, class F>
void for_each_field(AnyMap& map, F&& f) {
  config::for_each_flag_map_field({"flags.further", "One more map of flags"}, map, config::further_map_problem(map), f);
}

}  // namespace srcextract
