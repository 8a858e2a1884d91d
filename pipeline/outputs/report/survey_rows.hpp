#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/outputs/report/survey_numbers.hpp"
#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// Longest name of an image on the page, in bytes; longer names are cut.
inline constexpr std::size_t most_name_bytes = 300;

/// The most unusual images of a survey, as rows of a table.
struct SurveyRows {
  std::string html;        ///< HTML: head of the table and the first rows
  std::string columns;     ///< JSON: [name, unit, description, whether the values are text] of each column
  std::string rows;        ///< JSON: the values of each row, in the order of `columns`
  std::string links;       ///< JSON: for each row the address of the image's report, or null
  std::string sky;         ///< JSON: for each row [ra, dec] of the image, or null if unknown
  std::size_t count = 0;   ///< number of rows in the JSON
  std::size_t failed = 0;  ///< number of these rows whose image failed
};

/// Makes the rows of the most unusual images (images_that_stand_out). The first `plain_rows` rows are also written as
/// HTML. The JSON takes about `most_bytes` at most. Right ascensions are shifted by turned_ra() with `first_ra`.
SurveyRows survey_rows(const SurveyFacts& facts, const SurveyNumbers& numbers, double first_ra, std::size_t plain_rows,
                       std::size_t most_bytes);

}  // namespace srcextract
