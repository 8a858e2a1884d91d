#pragma once

#include <cstddef>
#include <string>

#include "survey/merge/survey_facts.hpp"

namespace srcextract {

/// The images that failed, as a section of a page: grouped by kind and by reasons that differ only in names of files
/// and in numbers, the largest group first, with the names of ten images. Groups beyond about `most_bytes` are counted.
/// Empty if none failed. Takes 16 bytes for each image that failed.
std::string failures_html(const SurveyFacts& facts, std::size_t most_bytes);

}  // namespace srcextract
