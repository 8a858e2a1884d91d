#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(GoodPixels) {
  return {"zero", "nonzero"};
}
inline std::vector<std::string> names_of(FlagType) {
  return {"or", "and", "min", "max", "most"};
}

}  // namespace srcextract

namespace srcextract::config {

/// Description, for users, of the key `hdu` of a map: how the HDUs of maps and images are paired.
inline constexpr const char* paired_hdus =
    "HDUs of the map, as `input.hdu`; in the image's own file without `auto` and `all`. Several images are paired with "
    "as "
    "many maps: in the image's own file by EXTVER, in `file` by EXTNAME (`auto`: of all its images), else by order. "
    "One "
    "HDU may serve all images";

/// Error messages about a map's keys: Field::unused of `file` and of `hdu`, and Field::problem of `file`. Empty: no
/// error.
struct MapKeys {
  std::string file_unused = {}, hdu_unused = {}, file_problem = {};
};

/// Declares the keys `file` and `hdu` of a section that names a map of the image's shape. `what` is part of the
/// description of `file`, and `hdus` is the description of `hdu`.
template <class Map, class F>
void for_each_map_field(const Section& section, Map& map, const std::string& what, const std::string& hdus,
                        const MapKeys& keys, F&& f) {
  f(Field{.section = section,
          .key = "file",
          .description =
              "FITS file with " + what +
              "; relative to the working directory. Empty = the image's own file, if `hdu` names another HDU",
          .is_path = true,
          .unused = keys.file_unused,
          .problem = keys.file_problem},
    map.file);
  f(Field{.section = section,
          .key = "hdu",
          .description = hdus,
          .allowed = "as `input.hdu`",
          .unused = keys.hdu_unused,
          .problem = hdu_problem(map)},
    map.hdu);
}

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

/// Declares the keys of one flag map. `file_problem` is Field::problem of the key `file`.
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

/// Declares the keys of one map in the list `flags.further`.
template <config::MaybeConst<FlagMapConfig> AnyMap, class F>
void for_each_field(AnyMap& map, F&& f) {
  config::for_each_flag_map_field({"flags.further", "One more map of flags"}, map, config::further_map_problem(map), f);
}

}  // namespace srcextract
