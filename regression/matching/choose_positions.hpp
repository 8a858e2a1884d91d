#pragma once

#include <optional>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"
#include "regression/matching/match.hpp"

namespace srcextract {

/// The two columns of a pixel or sky position, and the matching radius in pixels, degrees or sigma.
struct PositionColumns {
  Frame frame = Frame::pixel;
  std::size_t x = 0, y = 0;         ///< indices of shared columns
  std::vector<std::size_t> errors;  ///< columns with the errors of the position, if the radius is in sigma; else empty
  double radius = 0;
};

/// The positions that can be used for matching, in pixels, on the sky, or both; pixels first. Throws Error{input} or
/// Error{config} if there is none, or none that fits the rules. Messages begin with `names`.
std::vector<PositionColumns> choose_positions(const std::vector<SharedColumn>& shared, const MatchRules& rules,
                                              const std::string& names);

/// The column that orders sources by brightness: the first shared of FLUX_AUTO, FLUX_ISO, MAG_AUTO and MAG_ISO, else
/// the first flux or magnitude. Empty if there is none.
std::optional<std::size_t> choose_brightness(const std::vector<SharedColumn>& shared);

std::vector<std::size_t> columns_of(const std::vector<PositionColumns>& positions,
                                    std::optional<std::size_t> brightness);

}  // namespace srcextract
