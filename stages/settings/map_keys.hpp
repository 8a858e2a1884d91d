#pragma once

#include <string>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"

namespace srcextract::config {

/// Description of a map's `hdu`: how maps and images are paired.
inline constexpr const char* paired_hdus =
    "HDUs of the map, as `input.hdu`; in the image's own file without `auto` and `all`. Several images are paired with "
    "as "
    "many maps: in the image's own file by EXTVER, in `file` by EXTNAME (`auto`: of all its images), else by order. "
    "One "
    "HDU may serve all images";

/// Conflicts of a map's keys with other keys: Field::unused of both, and Field::problem of `file`.
struct MapKeys {
  std::string file_unused = {}, hdu_unused = {}, file_problem = {};
};

/// The keys `file` and `hdu` of a section that names a map of the image's shape. `what` and `hdus` are parts of their
/// descriptions; `keys` are their conflicts.
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

}  // namespace srcextract::config
