#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/matching/match_catalogs.hpp"
#include "regression/statistics/division.hpp"
#include "regression/verdict/alarm_levels.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Judges which sources were lost and gained, and which stand twice. Noise loses and gains alike, at the faint end, all
/// over the field; anything else is a finding, and so is everything if both sides measured the same pixels. `field` is
/// that of the pairs.
std::vector<Finding> judge_sources(const PlacedRows& reference, const PlacedRows& other, const Matches& matches,
                                   const std::vector<Duplicate>& reference_duplicates,
                                   const std::vector<Duplicate>& new_duplicates, const Division& field,
                                   const SourceRules& rules, const AlarmLevels& levels, bool same_image, int threads);

}  // namespace srcextract
