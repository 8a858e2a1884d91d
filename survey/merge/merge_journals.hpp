#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "survey/journal/image_record.hpp"

namespace srcextract {

/// An image of a survey, and which of its directories the outputs are in.
struct SurveyImage {
  ImageRecord record;
  std::size_t directory = 0;
};

/// What the journals in the directories say together: every image once, in the order of names, then HDU. An image that
/// is done in one directory has not failed. Throws Error{config} if a directory has no journal, or an image was
/// extracted with different results, or shards were with different configurations; unless `partial`, which warns,
/// Error{input} if a shard is missing or unfinished.
std::vector<SurveyImage> join_journals(const std::vector<std::string>& directories, bool partial,
                                       const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
