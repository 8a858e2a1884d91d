#include "scripts/config_documents/column_notes.hpp"

#include <algorithm>
#include <stdexcept>

namespace srcextract::documents {
namespace {

const ColumnNote* find_note(std::span<const ColumnNote> notes, const std::string& name) {
  const auto found = std::ranges::find(notes, name, &ColumnNote::name);
  return found == notes.end() ? nullptr : &*found;
}

/// The note of a column whose name determines it: MAG_*, MAGERR_*, ISO1 to ISO7. Throws std::runtime_error for other
/// names.
ColumnNote note_of_pattern(const std::string& name) {
  ColumnNote note{.name = name, .source = manual, .sextractor = same};
  if (name.starts_with("MAG_")) {
    const std::string flux = "`FLUX_" + name.substr(4) + "`";
    note.definition = "`measurement.zero_point` − 2.5 lg " + flux;
  } else if (name.starts_with("MAGERR_")) {
    const std::string of = name.substr(7);
    note.definition = "1.0857 `FLUXERR_" + of + "` / `FLUX_" + of + "`";
    note.sextractor = name + ": 1.086";
  } else if (name.starts_with("ISO") && name.size() == 4) {
    note.definition = "the same above level " + name.substr(3);
  } else {
    throw std::runtime_error(name + " is a column of which nothing is said: add a line in scripts/config_documents");
  }
  return note;
}

/// ColumnNote::definition of a column in sky units, derived from its name and from the columns it is computed from.
std::string sky_definition(const std::string& name, const ColumnNeeds& needs) {
  const auto code = [&](std::size_t i) { return "`" + std::string(needs[i]) + "`"; };
  const std::string place = code(0) + ", " + code(1), turned = " of [*J M J*ᵀ](#on-the-sky)";
  const auto is = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (name == "ISOAREAF_WORLD" || name == "ISOAREA_WORLD")
    return code(2) + " times &#124;det *J*&#124;, the area of a pixel there";
  if (name == "FWHM_WORLD") return code(2) + " times the root of &#124;det *J*&#124;";
  if (needs[2] == "SPHEROID_REFF_IMAGE" || needs[2] == "DISK_SCALE_IMAGE") {
    for (const DeclaredColumn& one : declared_columns())
      if (one.column.name == name) return one.column.description;
  }
  if (needs[2].empty()) {
    if (is("X") && is("_WORLD")) return "coordinate of " + place + " along the header's first axis";
    if (is("Y") && is("_WORLD")) return "the same along its second";
    return std::string(is("ALPHA") ? "longitude" : "latitude") + " of " + place +
           (is("_SKY")     ? ", in the header's system"
            : is("_B1950") ? ", in B1950 (FK4, epoch 2000)"
                           : ", in J2000");
  }
  if (is("X2")) return "variance along the first coordinate," + turned;
  if (is("Y2")) return "variance along the second," + turned;
  if (is("CXX") || is("CYY") || is("CXY")) return "of the ellipse" + turned + ", as `CXX_IMAGE`";
  if (is("XY")) return "covariance of both," + turned;
  if (is("THETA")) return "angle of its major axis";
  if (is("POLAR")) return "(*a*² − *b*²) / (*a*² + *b*²) of its axes";
  const bool major = name.starts_with("A") || name.starts_with("ERRA");
  return std::string(major ? "semi-major" : "semi-minor") + " axis" + turned;
}

/// ColumnNote::sextractor of a column in sky units. Differences are relative to SExtractor 2.25
/// (tests/truth/test_world.py).
std::string sky_in_sextractor(const std::string& name, const ColumnNeeds& needs) {
  if ((name.starts_with("C") || name.starts_with("ERRC")) && name.ends_with("_WORLD"))
    return name + ": divides by no less than 10⁻⁶";
  const bool whole =
      name.find("XY") != std::string::npos || (name.starts_with("ERR") && name.find("WIN") != std::string::npos);
  return needs[3].empty() || whole ? same : name + ": [differs](#on-the-sky)";
}

}  // namespace

ColumnNote note_of(const std::string& name, const ColumnNeeds& needs) {
  const bool on_sky = needs[0].starts_with("X") && !needs[1].empty();
  if (on_sky)
    return {.name = name,
            .definition = sky_definition(name, needs),
            .source = manual,
            .sextractor = sky_in_sextractor(name, needs)};
  if (const ColumnNote* note = find_note(notes_of_default_columns(), name)) return *note;
  if (const ColumnNote* note = find_note(notes_of_further_columns(), name)) return *note;
  for (const DeclaredColumn& one : declared_columns())
    if (one.is_of_model() && one.column.name == name)
      return {.name = name, .definition = one.column.description, .source = manual, .sextractor = same};
  return note_of_pattern(name);
}

}  // namespace srcextract::documents
