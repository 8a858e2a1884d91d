#include "io/catalog/votable_head.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>

#include "io/catalog/catalog_writers.hpp"
#include "io/files/xml_text.hpp"
#include "io/wcs/unit.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

/// IDs of the coordinate systems to which FIELD and PARAM elements refer.
constexpr const char *sky_id = "J2000_sky", *time_id = "MJD_time";

/// Unit and UCD of a header keyword of images.
struct Keyword {
  std::string_view name;
  const char *unit, *ucd;
};

constexpr Keyword keywords[] = {{"OBJECT", "", "meta.id;src"},
                                {"DATE-OBS", "", "time.epoch"},
                                {"MJD-OBS", "d", "time.epoch"},
                                {"FILTER", "", "meta.id;instr.filter"},
                                {"EXPTIME", "s", "time.duration;obs.exposure"},
                                {"AIRMASS", "", "obs.airMass"},
                                {"EXTNAME", "", "meta.id"},
                                {"CCD", "", "meta.id;instr.det"}};

/// Returns an XML attribute ` name="value"`, or nothing if the value is empty.
std::string attribute(const char* name, std::string_view value) {
  return value.empty() ? "" : std::string(" ") + name + "=\"" + xml_text(value) + "\"";
}

std::string info(const char* name, std::string_view value) {
  return "<INFO" + attribute("name", name) + " value=\"" + xml_text(value) + "\"/>\n";
}

bool is_on_sky(std::string_view name) {
  return name.find("_J2000") != name.npos;
}

bool is_time(const HeaderValue& value) {
  return value.keyword == "MJD-OBS" && std::holds_alternative<double>(value.value);
}

/// Returns the unit in the spelling of VOUnits, or unchanged if VOUnits has no such unit.
std::string unit_for_vo(const std::string& unit) {
  std::string known = vo_unit(unit);
  return known.empty() ? unit : known;
}

/// Returns the name if it can be an XML ID and is not in `taken`, and adds it to `taken`. Else returns an empty text.
std::string id_of(std::string_view name, std::set<std::string>& taken) {
  const bool is_name =
      !name.empty() && (is_letter(name.front()) || name.front() == '_') &&
      std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.'; });
  return is_name && taken.emplace(name).second ? std::string(name) : "";
}

template <class T>
const char* datatype() {
  if constexpr (std::is_same_v<T, std::int16_t>) return "short";
  if constexpr (std::is_same_v<T, std::int32_t>) return "int";
  if constexpr (std::is_same_v<T, std::int64_t>) return "long";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, std::string>) return "unicodeChar";
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_same_v<T, std::string>);
  return "double";
}

template <class T>
std::string arraysize(const FieldValues<T>& values) {
  if (std::is_same_v<T, std::string>) return "*";
  if (values.width > 0) return std::to_string(values.width) + "x" + std::to_string(values.size() / values.width);
  return values.size() == 1 ? "" : std::to_string(values.size());
}

std::string fields(const CatalogRows& rows, const CatalogMetadata& metadata) {
  std::string out;
  std::set<std::string> taken = {sky_id, time_id};
  for_each_field(rows, [&]<class T>(const Column& column, const FieldValues<T>& values) {
    const std::string_view description = column.description;
    out += "<FIELD" + attribute("ID", id_of(column.name, taken)) + attribute("name", column.name) +
           attribute("datatype", datatype<T>()) + attribute("arraysize", arraysize(values)) +
           attribute("unit", unit_for_vo(unit_of(column, metadata))) + attribute("ucd", column.ucd) +
           (is_on_sky(column.name) ? attribute("ref", sky_id) : "");
    out += description.empty() ? "/>\n" : ">\n<DESCRIPTION>" + xml_text(description) + "</DESCRIPTION>\n</FIELD>\n";
  });
  return out;
}

std::string param(const std::string& name, const KeywordValue& value, const std::string& unit, const char* ucd,
                  const char* ref) {
  std::string type = "double", size, text;
  if (const auto* words = std::get_if<std::string>(&value)) {
    type = std::ranges::all_of(*words, is_printable) ? "char" : "unicodeChar";
    size = "*";
    text = *words;
  } else if (const auto* logical = std::get_if<bool>(&value)) {
    type = "boolean";
    text = *logical ? "true" : "false";
  } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    type = "long";
    text = std::to_string(*whole);
  } else {
    const double real = std::get<double>(value);
    text = std::isfinite(real) ? format_real(real) : "NaN";
  }
  return "<PARAM" + attribute("name", name) + attribute("datatype", type) + attribute("arraysize", size) +
         attribute("unit", unit) + attribute("ucd", ucd) + attribute("ref", ref) + " value=\"" + xml_text(text) +
         "\"/>\n";
}

std::string params(const CatalogMetadata& metadata) {
  std::string out;
  if (const auto& sky = metadata.image.sky) {
    const std::string unit = unit_for_vo(metadata.pixel_unit);
    out += param("SKYLEVEL", sky->level, unit, "instr.background;stat.median", "");
    out += param("SKYSIGMA", sky->sigma, unit, "stat.stdev;instr.background", "");
  }
  for (const HeaderValue& value : metadata.image.header) {
    const auto* known = std::ranges::find(keywords, value.keyword, &Keyword::name);
    const bool is_known = known != std::end(keywords);
    out += param(value.keyword, value.value, is_known ? known->unit : "", is_known ? known->ucd : "",
                 is_time(value) ? time_id : "");
  }
  return out;
}

/// Returns the coordinate systems to which FIELD and PARAM elements refer. The time scale of MJD-OBS is UNKNOWN, since
/// it is not read from the image header.
std::string systems(const CatalogRows& rows, const CatalogMetadata& metadata) {
  std::string out;
  if (std::ranges::any_of(rows.fields, [](const CatalogField& field) { return is_on_sky(field.column.name); }))
    out += "<COOSYS" + attribute("ID", sky_id) + " system=\"ICRS\"/>\n";
  if (std::ranges::any_of(metadata.image.header, is_time))
    out += "<TIMESYS" + attribute("ID", time_id) +
           " timeorigin=\"MJD-origin\" timescale=\"UNKNOWN\" refposition=\"UNKNOWN\"/>\n";
  return out;
}

std::string infos(const CatalogMetadata& metadata) {
  std::string out = info("creator", "srcextract " + metadata.version);
  if (!metadata.detection_image.empty()) out += info("detection_image", metadata.detection_image);
  for (const BandFacts& band : metadata.bands) {
    out += info("band", band.name + "=" + band.file);
    for (const std::string& setting : band.settings) out += info("band_set", band.name + ":" + setting);
  }
  if (!metadata.positions.empty()) out += info("positions", metadata.positions);
  return out + info("config", metadata.config_yaml);
}

}  // namespace

std::string votable_head(const CatalogRows& rows, std::optional<std::int64_t> count, const CatalogMetadata& metadata) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\""
         " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
         " xsi:schemaLocation=\"http://www.ivoa.net/xml/VOTable/v1.3"
         " http://www.ivoa.net/xml/VOTable/votable-1.4.xsd\">\n"
         "<RESOURCE>\n" +
         infos(metadata) + systems(rows, metadata) + "<TABLE name=\"CATALOG\"" +
         (count ? attribute("nrows", std::to_string(*count)) : "") + ">\n" + params(metadata) + fields(rows, metadata);
}

}  // namespace srcextract
