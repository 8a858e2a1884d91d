#pragma once

#include <optional>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"
#include "regression/matching/match.hpp"

namespace srcextract {

/// The columns of one kind of position, and what the rules say of the radius, in pixels, degrees, or sigma.
struct PositionColumns {
  Frame frame = Frame::pixel;
  std::size_t x = 0, y = 0;         ///< among the shared columns
  std::vector<std::size_t> errors;  ///< of the position, if the radius is in units of them
  double radius = 0;
};

/// The positions by which the sources can be matched, the preferred ones first. Throws Error if there are none, or not
/// those that the rules ask for; `names` are those of the catalogues.
std::vector<PositionColumns> choose_positions(const std::vector<SharedColumn>& shared, const MatchRules& rules,
                                              const std::string& names);

/// The column whose values order the sources by brightness: a flux, or else a magnitude; nothing if there is neither.
std::optional<std::size_t> choose_brightness(const std::vector<SharedColumn>& shared);

/// All of these columns.
std::vector<std::size_t> columns_of(const std::vector<PositionColumns>& positions,
                                    std::optional<std::size_t> brightness);

}  // namespace srcextract
