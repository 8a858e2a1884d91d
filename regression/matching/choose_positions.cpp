#include "regression/matching/choose_positions.hpp"

#include <algorithm>
#include <array>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr double degree = 3600;  // a degree in arcseconds

std::optional<std::size_t> find(const std::vector<SharedColumn>& shared, const std::string& name) {
  const auto found =
      std::find_if(shared.begin(), shared.end(), [&](const SharedColumn& column) { return column.name == name; });
  return found == shared.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - shared.begin()));
}

/// The columns with the errors of a position: one standard error, or the variances along x and y. The first known set
/// of columns that the catalogues share; empty if there is none.
std::vector<std::size_t> find_errors(const std::vector<SharedColumn>& shared, Frame frame) {
  using Names = std::vector<std::string>;
  static const std::vector<Names> by_pixel = {
      {"ERRX2_IMAGE", "ERRY2_IMAGE"}, {"ERRA_IMAGE"}, {"ERRX2WIN_IMAGE", "ERRY2WIN_IMAGE"}, {"ERRAWIN_IMAGE"}};
  static const std::vector<Names> by_sky = {
      {"ERRX2_WORLD", "ERRY2_WORLD"}, {"ERRA_WORLD"}, {"ERRX2WIN_WORLD", "ERRY2WIN_WORLD"}, {"ERRAWIN_WORLD"}};
  for (const Names& names : frame == Frame::pixel ? by_pixel : by_sky) {
    std::vector<std::size_t> columns;
    for (const std::string& name : names) {
      if (const auto column = find(shared, name)) columns.push_back(*column);
    }
    if (columns.size() == names.size()) return columns;
  }
  return {};
}

bool fits(RadiusUnit unit, Frame frame) {
  return unit == RadiusUnit::automatic || unit == RadiusUnit::sigma ||
         (unit == RadiusUnit::pixel) == (frame == Frame::pixel);
}

void add_positions(std::vector<PositionColumns>& choices, Frame frame, const std::vector<SharedColumn>& shared,
                   const MatchRules& rules) {
  if (!fits(rules.radius_unit, frame)) return;
  for (const PositionNames& names : frame == Frame::pixel ? pixel_positions() : sky_positions()) {
    const auto x = find(shared, names.x), y = find(shared, names.y);
    if (!x || !y) continue;
    PositionColumns columns{frame, *x, *y, {}, rules.radius};
    if (rules.radius_unit == RadiusUnit::sigma) {
      columns.errors = find_errors(shared, frame);
      if (columns.errors.empty()) return;
    } else if (frame == Frame::sky) {
      columns.radius /= degree;
    }
    choices.push_back(columns);
    return;
  }
}

}  // namespace

std::vector<PositionColumns> choose_positions(const std::vector<SharedColumn>& shared, const MatchRules& rules,
                                              const std::string& names) {
  std::vector<PositionColumns> choices;
  if (rules.by != MatchBy::sky) add_positions(choices, Frame::pixel, shared, rules);
  if (rules.by != MatchBy::pixel) add_positions(choices, Frame::sky, shared, rules);
  if (!choices.empty()) return choices;
  if (rules.radius_unit == RadiusUnit::sigma)
    throw Error(ErrorKind::config,
                names +
                    ": match.radius is in sigma, and the two do not share the errors of a position (ERRX2_IMAGE "
                    "and ERRY2_IMAGE, ERRA_IMAGE, ... or ..._WORLD); give it in pixel or arcsec");
  throw Error(ErrorKind::input,
              names +
                  " share no positions to match by (X_IMAGE and Y_IMAGE, ALPHA_J2000 and DELTA_J2000, "
                  "...) as match.by and match.radius_unit ask for; where theirs have other names, say so in the rules: "
                  "reference: {columns: {X_IMAGE: ...}}, and the same under new:");
}

std::optional<std::size_t> choose_brightness(const std::vector<SharedColumn>& shared) {
  static constexpr std::array preferred = {"FLUX_AUTO", "FLUX_ISO", "MAG_AUTO", "MAG_ISO"};
  for (const char* name : preferred) {
    if (const auto column = find(shared, name)) return column;
  }
  const auto any = std::find_if(shared.begin(), shared.end(), [](const SharedColumn& column) {
    return is_flux(column.name) || is_magnitude(column.name);
  });
  return any == shared.end() ? std::nullopt : std::optional(static_cast<std::size_t>(any - shared.begin()));
}

std::vector<std::size_t> columns_of(const std::vector<PositionColumns>& positions,
                                    std::optional<std::size_t> brightness) {
  std::vector<std::size_t> columns;
  for (const PositionColumns& position : positions) {
    columns.insert(columns.end(), {position.x, position.y});
    columns.insert(columns.end(), position.errors.begin(), position.errors.end());
  }
  if (brightness) columns.push_back(*brightness);
  return columns;
}

}  // namespace srcextract
