#pragma once

#include <string>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// Makes the page about a survey: one HTML page of at most most_report_bytes that needs no other file and no network.
/// It shows the failures by reason, a table of images that stand out, and plots over all images. Images that have a
/// page of their own are links. The page has no time of day and no directory: it is the same for the same images,
/// except for links. Takes about 60 bytes of memory for each image.
std::string make_survey_page(const SurveyFacts& facts);

}  // namespace srcextract
