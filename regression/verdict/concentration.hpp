#pragma once

#include <span>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"
#include "regression/statistics/division.hpp"

namespace srcextract {

/// Positions and brightness of some sources, which are searched for a common property.
struct Sample {
  std::vector<double> x, y;
  std::vector<double> brightness;  ///< log10 of the flux; empty if unknown, NaN for sources without flux
};

/// Causes shared by several tests.
inline constexpr const char* part_differs = "this part of the image differs";
inline constexpr const char* bright_end_differs = "not linear at the bright end, as by saturation";

/// A common property of some sources in words, and its likely cause; both empty if there is none.
struct Concentration {
  std::string words;  ///< "; 16 of them among the faintest 2.1 %"
  std::string cause;  ///< "this part of the image differs"
};

/// Tests whether 90 % of the sources, if there are at least eight, lie within a quarter of the field.
Concentration where_mostly(const Sample& sample, const Division& field, Frame frame);

/// Tests whether 90 % of the sources, if there are at least five, are among the faintest, or the brightest, 30 % of
/// `all`, which is sorted.
Concentration how_bright(const Sample& sample, std::span<const double> all);

/// The result of how_bright(), else of where_mostly().
Concentration in_common(const Sample& sample, std::span<const double> all, const Division& field, Frame frame);

/// Describes a part of the field, as "x 513 to 768, y 1 to 256".
std::string place_in_words(const Part& place, Frame frame);

}  // namespace srcextract
