#pragma once

#include <span>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"
#include "regression/statistics/division.hpp"

namespace srcextract {

/// Positions and brightness of some sources. The sources may have a property in common.
struct Sample {
  std::vector<double> x, y;
  std::vector<double> brightness;  ///< log10 of the flux, or -0.4 times the magnitude; NaN if unknown
};

/// Causes that several tests may find. Findings with the same cause are reported once.
inline constexpr const char* part_differs = "this part of the image differs";
inline constexpr const char* bright_end_differs = "not linear at the bright end, as by saturation";

/// A property that some sources have in common, and the likely cause. Both texts are empty if there is none.
struct Concentration {
  std::string words;  ///< as "; 16 of them among the faintest 2.1 %"
  std::string cause;  ///< as "this part of the image differs"; may be empty
};

/// Tests whether the sources lie mostly within a quarter of the field's area. The tested rectangle consists of the
/// narrowest intervals in x and in y that contain 90 % of the sources each. Empty for fewer than eight sources.
Concentration where_mostly(const Sample& sample, const Division& field, Frame frame);

/// Tests whether 90 % of the sources are among the faintest 30 % or the brightest 30 % of `all`, which must be sorted.
/// Empty for fewer than five sources.
Concentration how_bright(const Sample& sample, std::span<const double> all);

/// The result of how_bright(), or that of where_mostly() if the former is empty.
Concentration in_common(const Sample& sample, std::span<const double> all, const Division& field, Frame frame);

/// A part of the field in words, as "x 513 to 768, y 1 to 256".
std::string place_in_words(const Part& place, Frame frame);

}  // namespace srcextract
