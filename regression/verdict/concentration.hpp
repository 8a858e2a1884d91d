#pragma once

#include <span>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"
#include "regression/statistics/division.hpp"

namespace srcextract {

/// Some sources of a catalogue, to be searched for a common property.
struct Sample {
  std::vector<double> x, y;
  std::vector<double> brightness;  ///< log10 of the flux; empty if unknown, NaN for sources without flux
};

/// Causes shared by several tests.
inline constexpr const char* part_differs = "this part of the image differs";
inline constexpr const char* bright_end_differs = "not linear at the bright end, as by saturation";

/// Common property of some sources and its cause; both empty if there is none.
struct Concentration {
  std::string words;  ///< "; 16 of them among the faintest 2.1 %"
  std::string cause;  ///< "this part of the image differs"
};

/// Tests whether 90 % of at least eight sources lie within a quarter of the field.
Concentration where_mostly(const Sample& sample, const Division& field, Frame frame);

/// Tests whether 90 % of at least five sources are among the faintest, or the brightest, 30 % of `all`, which is
/// sorted.
Concentration how_bright(const Sample& sample, std::span<const double> all);

/// The result of how_bright(), else of where_mostly().
Concentration in_common(const Sample& sample, std::span<const double> all, const Division& field, Frame frame);

/// A part of the field in words: "x 513 to 768, y 1 to 256".
std::string place_in_words(const Part& place, Frame frame);

}  // namespace srcextract
