#pragma once

#include <string>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// The page about a survey: one HTML page of at most most_report_bytes that needs no other file and no network. The
/// page has the failures by reason, a table of the images that stand out, and plots over all images. Images with a page
/// of their own are links to it. The page has no time of day and no directory: it is the same for the same images,
/// except for links. Takes about 60 bytes for each image.
std::string make_survey_page(const SurveyFacts& facts);

}  // namespace srcextract
