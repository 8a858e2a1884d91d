#include "pipeline/extract/sky_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "io/wcs/local_sky.hpp"
#include "stages/catalogue/measured_columns.hpp"
#include "stages/core/error.hpp"
#include "stages/measure/ellipse.hpp"

namespace srcextract {
namespace {

/// The sky at a position, and the moments to convert there.
struct SkyRow {
  const LocalSky& sky;
  std::array<double, 3> turned;

  /// Second moments (x2, y2, xy in pixels) in degrees, x to the east and y to the north.
  SecondMoments moments(const SkySteps& steps) const {
    const double x2 = turned[0], y2 = turned[1], xy = turned[2];
    const auto along = [&](const std::array<double, 2>& a, const std::array<double, 2>& b) {
      return a[0] * b[0] * x2 + a[1] * b[1] * y2 + (a[0] * b[1] + a[1] * b[0]) * xy;
    };
    return {along(steps.east, steps.east), along(steps.north, steps.north), along(steps.east, steps.north)};
  }
  /// As moments(), along the coordinates of the header's first and second axis.
  SecondMoments world() const {
    const SecondMoments m = moments(sky.native_steps);
    return sky.latitude_first ? SecondMoments{m.y2, m.x2, m.xy} : m;
  }
  double determinant() const { return world().x2 * world().y2 - world().xy * world().xy; }
  /// The area of a pixel in square degrees.
  double pixel() const {
    const SkySteps& steps = sky.native_steps;
    return std::abs(steps.east[0] * steps.north[1] - steps.east[1] * steps.north[0]);
  }
};

Ellipse ellipse(const SecondMoments& moments) {
  return moments.x2 == moments.x2 ? ellipse_of(moments) : undefined_ellipse;
}

/// The angle of the major axis from north to east.
double position_angle(const SecondMoments& moments) {
  return ellipse({moments.y2, moments.x2, moments.xy}).theta;
}

using SkyValue = double (*)(const SkyRow&);

/// Functions of the values; columns of peak, window and errors use the function of their stem.
constexpr std::pair<std::string_view, SkyValue> sky_values[] = {
    {"X_WORLD", [](const SkyRow& row) { return row.sky.world[0]; }},
    {"Y_WORLD", [](const SkyRow& row) { return row.sky.world[1]; }},
    {"ALPHA_SKY", [](const SkyRow& row) { return row.sky.native.alpha; }},
    {"DELTA_SKY", [](const SkyRow& row) { return row.sky.native.delta; }},
    {"ALPHA_J2000", [](const SkyRow& row) { return row.sky.j2000.alpha; }},
    {"DELTA_J2000", [](const SkyRow& row) { return row.sky.j2000.delta; }},
    {"X2_WORLD", [](const SkyRow& row) { return row.world().x2; }},
    {"Y2_WORLD", [](const SkyRow& row) { return row.world().y2; }},
    {"XY_WORLD", [](const SkyRow& row) { return row.world().xy; }},
    {"A_WORLD", [](const SkyRow& row) { return ellipse(row.world()).a; }},
    {"B_WORLD", [](const SkyRow& row) { return ellipse(row.world()).b; }},
    {"THETA_WORLD", [](const SkyRow& row) { return ellipse(row.world()).theta; }},
    {"THETA_SKY", [](const SkyRow& row) { return position_angle(row.moments(row.sky.native_steps)); }},
    {"THETA_J2000", [](const SkyRow& row) { return position_angle(row.moments(row.sky.j2000_steps)); }},
    {"CXX_WORLD", [](const SkyRow& row) { return row.world().y2 / row.determinant(); }},
    {"CYY_WORLD", [](const SkyRow& row) { return row.world().x2 / row.determinant(); }},
    {"CXY_WORLD", [](const SkyRow& row) { return -2 * row.world().xy / row.determinant(); }},
    {"ISOAREAF_WORLD", [](const SkyRow& row) { return row.turned[0] * row.pixel(); }},
    {"ISOAREA_WORLD", [](const SkyRow& row) { return row.turned[0] * row.pixel(); }},
    {"FWHM_WORLD", [](const SkyRow& row) { return row.turned[0] * std::sqrt(row.pixel()); }},
};

/// "X2_WORLD" for ERRX2WIN_WORLD, "ALPHA_J2000" for ALPHAPEAK_J2000.
std::string stem_of(std::string name) {
  if (name.starts_with("ERR")) name.erase(0, 3);
  for (const std::string_view place : {"WIN_", "PEAK_"}) {
    const std::size_t at = name.find(place);
    if (at != std::string::npos) name.erase(at, place.size() - 1);
  }
  return name;
}

SkyValue value_of(const char* name) {
  const auto* const found = std::ranges::find(sky_values, stem_of(name), &std::pair<std::string_view, SkyValue>::first);
  if (found == std::end(sky_values))
    throw Error(ErrorKind::internal, std::string(name) + " is declared, but nothing fills it; please report this");
  return found->second;
}

/// The values of a column; empty for an empty name.
std::vector<double> numbers_of(const Sources& sources, std::string_view name) {
  std::vector<double> numbers;
  for_each_column(sources, [&](const Column& column, const auto& values) {
    if (column.name == name) numbers.assign(values.begin(), values.end());
  });
  return numbers;
}

/// Adds the columns that are computed from the same others.
void add_columns_of(const ColumnNeeds& needs, const std::vector<Column>& columns, const std::string& header,
                    bool all_in_j2000, Sources& sources, const Cpu& where) {
  std::array<std::vector<double>, std::tuple_size_v<ColumnNeeds>> given;
  for (std::size_t i = 0; i < needs.size(); ++i) given[i] = numbers_of(sources, needs[i]);
  std::vector<SkyValue> values;
  std::vector<std::vector<double>> filled;
  for (const Column& column : columns) {
    values.push_back(value_of(column.name));
    filled.emplace_back(given[0].size());
  }
  const auto keep = [&](std::size_t i, const LocalSky& sky) {
    const LocalSky asked = all_in_j2000 ? in_j2000(sky) : sky;
    SkyRow row{asked, {}};
    for (std::size_t k = 0; k < row.turned.size(); ++k) row.turned[k] = given[k + 2].empty() ? 0 : given[k + 2][i];
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const double value = values[c](row);
      filled[c][i] = value == value ? value : undefined_value;
    }
  };
  if (!look_at_sky(header, given[0], given[1], keep, where).empty()) return;
  for (std::size_t c = 0; c < columns.size(); ++c)
    sources.further.push_back({columns[c], columns[c].name, std::move(filled[c])});
}

}  // namespace

void add_sky_columns(const std::string& header, const Config& config, Sources& sources, const Cpu& where) {
  if (!sources.sky || config.output.columns == OutputConfig{}.columns) return;
  const ColumnChoice choice(config.output.columns);
  std::vector<std::pair<ColumnNeeds, std::vector<Column>>> groups;
  for (const MeasuredColumn& measured : measured_columns()) {
    if (measured.family != Family::sky || !choice.has(measured.column.name)) continue;
    if (measured.needs[2] == "ISOAREA_IMAGE" && !sources.analysed) continue;
    if (groups.empty() || groups.back().first != measured.needs) groups.push_back({measured.needs, {}});
    groups.back().second.push_back(measured.column);
  }
  for (const auto& [needs, columns] : groups)
    add_columns_of(needs, columns, header, config.kept.as_sextractor, sources, where);
}

}  // namespace srcextract
