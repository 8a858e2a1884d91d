#pragma once

#include <functional>
#include <string>
#include <vector>

#include "survey/merge/survey_images.hpp"

namespace srcextract {

/// What the journals in the directories say together: every image once, in the order of names, then HDU. An image that
/// is done in one directory has not failed. Throws Error{config} if a directory has no journal, or an image was
/// extracted with different results, or shards were with different configurations; unless `partial`, which warns,
/// Error{input} if a shard is missing or unfinished.
SurveyImages join_journals(const std::vector<std::string>& directories, bool partial,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
