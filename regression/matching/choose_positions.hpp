#pragma once

#include <optional>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"
#include "regression/matching/match.hpp"

namespace srcextract {

/// The two columns of a kind of position (pixel or sky), and the matching radius in pixels, degrees or sigma.
struct PositionColumns {
  Frame frame = Frame::pixel;
  std::size_t x = 0, y = 0;         ///< indices of shared columns
  std::vector<std::size_t> errors;  ///< columns of the position's errors, if the radius is in sigma
  double radius = 0;
};

/// Kinds of positions for matching, preferred ones first. Throws Error if there are none, or none that fit the rules.
/// `names` names the catalogues.
std::vector<PositionColumns> choose_positions(const std::vector<SharedColumn>& shared, const MatchRules& rules,
                                              const std::string& names);

/// The column that ranks sources by brightness: a flux, else a magnitude; nothing if there is neither.
std::optional<std::size_t> choose_brightness(const std::vector<SharedColumn>& shared);

/// Indices of all of these columns.
std::vector<std::size_t> columns_of(const std::vector<PositionColumns>& positions,
                                    std::optional<std::size_t> brightness);

}  // namespace srcextract
