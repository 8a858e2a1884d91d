#pragma once

#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/matching/match_catalogs.hpp"
#include "regression/statistics/division.hpp"
#include "regression/verdict/alarm_levels.hpp"
#include "regression/verdict/comparison.hpp"

namespace srcextract {

/// Judges lost, gained and duplicate sources. Noise loses and gains equally many sources, which are faint and lie
/// anywhere in the field; any other pattern beyond `rules` is a finding. With `same_image`, gained sources do not
/// compensate for lost sources. `field` divides the pairs.
std::vector<Finding> judge_sources(const PlacedRows& reference, const PlacedRows& other, const Matches& matches,
                                   const std::vector<Duplicate>& reference_duplicates,
                                   const std::vector<Duplicate>& new_duplicates, const Division& field,
                                   const SourceRules& rules, const AlarmLevels& levels, bool same_image, int threads);

}  // namespace srcextract
