#pragma once

#include <string>

#include "survey/journal/survey_status.hpp"

namespace srcextract {

/// How far a survey is: a line, a table of shards, and a table of failures, for people.
std::string status_text(const std::string& directory, const SurveyStatus& survey);

/// The status as an object of JSON. Rates, times and amounts of work that are not known are null. A host or start that
/// is not known is an empty text, and a process 0.
std::string status_json(const std::string& directory, const SurveyStatus& survey);

/// The status in Prometheus' text exposition format. A value that is not known has no sample.
std::string status_metrics(const std::string& directory, const SurveyStatus& survey);

}  // namespace srcextract
