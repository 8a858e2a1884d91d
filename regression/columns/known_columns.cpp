#include "regression/columns/known_columns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <set>

#include "stages/core/error.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

using Names = std::map<std::string, std::string>;

/// Maps columns of SEP's extract() to SExtractor's columns with the same definition. SEP's flags are left out, since
/// their bits differ.
const Names& names_of_sep() {
  static const Names names = {
      {"x", "X_IMAGE"},         {"y", "Y_IMAGE"},       {"xmin", "XMIN_IMAGE"},   {"xmax", "XMAX_IMAGE"},
      {"ymin", "YMIN_IMAGE"},   {"ymax", "YMAX_IMAGE"}, {"xpeak", "XPEAK_IMAGE"}, {"ypeak", "YPEAK_IMAGE"},
      {"npix", "NPIX"},         {"flux", "FLUX_ISO"},   {"peak", "FLUX_MAX"},     {"x2", "X2_IMAGE"},
      {"y2", "Y2_IMAGE"},       {"xy", "XY_IMAGE"},     {"errx2", "ERRX2_IMAGE"}, {"erry2", "ERRY2_IMAGE"},
      {"errxy", "ERRXY_IMAGE"}, {"cxx", "CXX_IMAGE"},   {"cyy", "CYY_IMAGE"},     {"cxy", "CXY_IMAGE"},
      {"a", "A_IMAGE"},         {"b", "B_IMAGE"},       {"theta", "THETA_IMAGE"},
  };
  return names;
}

/// Maps other names of columns to the report's names: variants in SExtractor, and names of positions in surveys, such
/// as RAJ2000 for ALPHA_J2000.
const Names& other_names() {
  static const Names names = {
      {"ISOAREAF_IMAGE", "NPIX"}, {"ISOAREA_IMAGE", "NPIX"},  {"x", "X_IMAGE"},           {"y", "Y_IMAGE"},
      {"ra", "ALPHA_J2000"},      {"dec", "DELTA_J2000"},     {"RA", "ALPHA_J2000"},      {"DEC", "DELTA_J2000"},
      {"Dec", "DELTA_J2000"},     {"RAJ2000", "ALPHA_J2000"}, {"DEJ2000", "DELTA_J2000"}, {"RA_ICRS", "ALPHA_J2000"},
      {"DE_ICRS", "DELTA_J2000"},
  };
  return names;
}

bool is_from_sep(const std::vector<std::string>& columns) {
  const auto has = [&](const char* name) { return std::find(columns.begin(), columns.end(), name) != columns.end(); };
  return has("x") && has("y") && has("npix") && has("theta");
}

std::string find_or(const Names& names, const std::string& name) {
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

/// The report's name for each column of the file. `by_rule` maps report names to columns of the file. Throws
/// Error{config} if `by_rule` refers to a missing column or gives two names to one column.
std::vector<std::string> report_names(const std::vector<std::string>& columns, const Names& by_rule,
                                      const std::string& catalog) {
  const Names& known = is_from_sep(columns) ? names_of_sep() : other_names();
  Names named;  // keyed by the name in the file
  std::set<std::string> taken;
  for (const auto& [name, in_file] : by_rule) {
    if (std::find(columns.begin(), columns.end(), in_file) == columns.end()) {
      const std::string near = nearest(in_file, columns);
      throw Error(ErrorKind::config, catalog + ": the rules take " + name + " from the column '" + in_file +
                                         "', which the catalogue does not have" +
                                         (near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    if (!named.emplace(in_file, name).second)
      throw Error(ErrorKind::config,
                  catalog + ": the rules take two names from the column '" + in_file + "'; it can have one");
    taken.insert(name);
  }
  const std::set<std::string> in_file(columns.begin(), columns.end());
  std::vector<std::string> result;
  for (const std::string& column : columns) {
    const auto ruled = named.find(column);
    if (ruled != named.end()) {
      result.push_back(ruled->second);
      continue;
    }
    // A column whose own name is a name of the report keeps that name. No other column is renamed to that name.
    const std::string name = find_or(known, column);
    // ISOAREA_IMAGE counts pixels above the analysis threshold, ISOAREAF_IMAGE detected pixels. If both are there, only
    // the latter becomes NPIX.
    const bool another = column == "ISOAREA_IMAGE" && in_file.count("ISOAREAF_IMAGE") != 0;
    const bool free = !another && taken.count(name) == 0 && (name == column || in_file.count(name) == 0);
    // The rules may take this column's own name from another column.
    result.push_back(free ? name : by_rule.count(column) != 0 ? column + " of the file" : column);
    taken.insert(result.back());
  }
  return result;
}

bool is_one_of(const std::string& name, const std::vector<PositionNames>& positions, bool x) {
  return std::any_of(positions.begin(), positions.end(),
                     [&](const PositionNames& position) { return name == (x ? position.x : position.y); });
}

}  // namespace

std::vector<Meaning> meanings_of(const std::vector<std::string>& columns, const SideRules& rules,
                                 const std::string& catalog) {
  const bool sep = is_from_sep(columns);
  const bool from_zero = rules.first_pixel == FirstPixel::zero || (rules.first_pixel == FirstPixel::automatic && sep);
  const bool radians = rules.angles == AngleUnit::radian || (rules.angles == AngleUnit::automatic && sep);
  std::vector<Meaning> meanings;
  for (std::string& name : report_names(columns, rules.columns, catalog)) {
    Meaning meaning{std::move(name)};
    if (from_zero && is_pixel_coordinate(meaning.name)) meaning.offset = 1;
    if (radians && is_position_angle(meaning.name)) meaning.factor = 180 / std::numbers::pi;
    meanings.push_back(std::move(meaning));
  }
  return meanings;
}

bool is_pixel_coordinate(const std::string& name) {
  if (name.empty() || (name[0] != 'X' && name[0] != 'Y')) return false;
  static constexpr std::array kinds = {"_IMAGE",    "WIN_IMAGE", "PEAK_IMAGE",  "MIN_IMAGE",
                                       "MAX_IMAGE", "PSF_IMAGE", "MODEL_IMAGE", "_IMAGE_DBL"};
  return std::find(kinds.begin(), kinds.end(), name.substr(1)) != kinds.end();
}

bool is_right_ascension(const std::string& name) {
  return name.starts_with("ALPHA") || is_one_of(name, sky_positions(), true);
}
bool is_declination(const std::string& name) {
  return name.starts_with("DELTA") || is_one_of(name, sky_positions(), false);
}
bool is_position_angle(const std::string& name) {
  return name.starts_with("THETA");
}
bool is_magnitude(const std::string& name) {
  return name.starts_with("MAG_");
}
bool has_magnitudes(const std::string& name) {
  return is_magnitude(name) || name.starts_with("MAGERR_");
}
bool is_flux(const std::string& name) {
  return name.starts_with("FLUX_") && name != "FLUX_RADIUS" && !name.starts_with("FLUX_RADIUS_");
}

std::string standard_error_of(const std::string& name) {
  static const Names of_positions = {{"X_IMAGE", "ERRX2_IMAGE"},           {"Y_IMAGE", "ERRY2_IMAGE"},
                                     {"XWIN_IMAGE", "ERRX2WIN_IMAGE"},     {"YWIN_IMAGE", "ERRY2WIN_IMAGE"},
                                     {"X_WORLD", "ERRX2_WORLD"},           {"Y_WORLD", "ERRY2_WORLD"},
                                     {"ALPHA_J2000", "ERRX2_WORLD"},       {"DELTA_J2000", "ERRY2_WORLD"},
                                     {"ALPHAWIN_J2000", "ERRX2WIN_WORLD"}, {"DELTAWIN_J2000", "ERRY2WIN_WORLD"}};
  if (is_magnitude(name)) return "MAGERR_" + name.substr(4);
  if (is_flux(name) && name != "FLUX_MAX") return "FLUXERR_" + name.substr(5);
  return find_or(of_positions, name) == name ? "" : of_positions.at(name);
}

bool is_variance(const std::string& name) {
  return name.starts_with("ERRX2") || name.starts_with("ERRY2");
}

std::string partner_of(const std::string& name) {
  if (is_pixel_coordinate(name)) return (name[0] == 'X' ? "Y" : "X") + name.substr(1);
  for (const PositionNames& names : sky_positions()) {
    if (name == names.x) return names.y;
    if (name == names.y) return names.x;
  }
  return "";
}

const std::vector<PositionNames>& pixel_positions() {
  static const std::vector<PositionNames> names = {{"X_IMAGE", "Y_IMAGE"},
                                                   {"X_IMAGE_DBL", "Y_IMAGE_DBL"},
                                                   {"XWIN_IMAGE", "YWIN_IMAGE"},
                                                   {"XPSF_IMAGE", "YPSF_IMAGE"},
                                                   {"XPEAK_IMAGE", "YPEAK_IMAGE"}};
  return names;
}

const std::vector<PositionNames>& sky_positions() {
  static const std::vector<PositionNames> names = {
      {"ALPHA_J2000", "DELTA_J2000"},       {"ALPHAWIN_J2000", "DELTAWIN_J2000"},
      {"ALPHA_SKY", "DELTA_SKY"},           {"ALPHAWIN_SKY", "DELTAWIN_SKY"},
      {"ALPHAPSF_J2000", "DELTAPSF_J2000"}, {"ALPHAPEAK_J2000", "DELTAPEAK_J2000"},
      {"ALPHAPEAK_SKY", "DELTAPEAK_SKY"},   {"X_WORLD", "Y_WORLD"},
      {"XWIN_WORLD", "YWIN_WORLD"},         {"XPEAK_WORLD", "YPEAK_WORLD"},
      {"ALPHA_B1950", "DELTA_B1950"},       {"ALPHAWIN_B1950", "DELTAWIN_B1950"},
      {"ALPHAPSF_B1950", "DELTAPSF_B1950"}, {"ALPHAPEAK_B1950", "DELTAPEAK_B1950"},
      {"ALPHAPSF_SKY", "DELTAPSF_SKY"}};
  return names;
}

}  // namespace srcextract
