#pragma once

#include <string>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// Makes the page about a survey: one HTML page of at most most_report_bytes that needs neither other files nor a
/// network. The page shows the failures by reason, a table of the most unusual images, and plots over all images.
/// Images that have a report of their own are linked. The page contains no time of day and no directory, so equal
/// images give equal pages, except for links. Takes about 60 bytes of memory per image.
std::string make_survey_page(const SurveyFacts& facts);

}  // namespace srcextract
