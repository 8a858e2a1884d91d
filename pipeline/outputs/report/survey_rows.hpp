#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pipeline/outputs/report/survey_numbers.hpp"
#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// Names of images are cut to this number of bytes on the page.
inline constexpr std::size_t most_name_bytes = 300;

/// The images that stand out, as rows of a table.
struct SurveyRows {
  std::string html;        ///< head and first rows of the table
  std::string columns;     ///< JSON: [name, unit, description, whether it is text]
  std::string rows;        ///< JSON: values by column
  std::string links;       ///< JSON: the address of an image's own page, null without one
  std::string sky;         ///< JSON: [ra, dec] of an image, null if not known
  std::size_t count = 0;   ///< rows in the JSON
  std::size_t failed = 0;  ///< rows of images that failed
};

/// Makes the rows of images that stand out. The table has `plain_rows` rows as HTML. The JSON takes at most about
/// `most_bytes`. Right ascensions are turned to begin at `first_ra`.
SurveyRows survey_rows(const SurveyFacts& facts, const SurveyNumbers& numbers, double first_ra, std::size_t plain_rows,
                       std::size_t most_bytes);

}  // namespace srcextract
