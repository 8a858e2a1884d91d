#pragma once

#include <string>

#include "survey/journal/survey_status.hpp"

namespace srcextract {

/// The progress of a survey as text for people: a line of totals, a table of shards, and a table of failures.
std::string status_text(const std::string& directory, const SurveyStatus& survey);

/// The status as a JSON object. Unknown rates, times and amounts of work are null. An unknown host or start time is an
/// empty string, and an unknown process id is 0.
std::string status_json(const std::string& directory, const SurveyStatus& survey);

/// The status in Prometheus' text exposition format. An unknown value is left out.
std::string status_metrics(const std::string& directory, const SurveyStatus& survey);

}  // namespace srcextract
