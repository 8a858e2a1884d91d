#pragma once

#include <span>
#include <string>
#include <vector>

#include "regression/matching/match.hpp"
#include "regression/statistics/division.hpp"

namespace srcextract {

/// Some sources of a catalogue, of which one wants to know what they have in common.
struct Sample {
  std::vector<double> x, y;
  std::vector<double> brightness;  ///< log10 of the flux; empty if unknown, NaN of a source that has none
};

/// Causes that more than one test may find.
inline constexpr const char* part_differs = "this part of the image differs";
inline constexpr const char* bright_end_differs = "not linear at the bright end, as by saturation";

/// What they have in common, and what that tells; both empty if nothing.
struct Concentration {
  std::string words;  ///< "; 16 of them among the faintest 2.1 %"
  std::string cause;  ///< "this part of the image differs"
};

/// That nine in ten of at least eight lie within a quarter of the field.
Concentration where_mostly(const Sample& sample, const Division& field, Frame frame);

/// That nine in ten of at least five are among the faintest, or the brightest, three tenths of `all`, which is sorted.
Concentration how_bright(const Sample& sample, std::span<const double> all);

/// The one, or else the other.
Concentration in_common(const Sample& sample, std::span<const double> all, const Division& field, Frame frame);

/// A part of the field in words: "x 513 to 768, y 1 to 256".
std::string place_in_words(const Part& place, Frame frame);

}  // namespace srcextract
