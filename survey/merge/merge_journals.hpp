#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "survey/merge/survey_images.hpp"

namespace srcextract {

/// How many images failed after they were done, by their journals, and how many were done at any time.
struct Lost {
  std::int64_t images = 0, of = 0;
  std::string first;  ///< name of one of them, and why it failed
};

/// What the journals in the directories say together: every image once, in the order of names, then HDU. An image that
/// is done in one directory has not failed. Throws Error{config} if a directory has no journal, or an image was
/// extracted with different results, or shards were with different configurations; unless `partial`, which warns,
/// Error{input} if a shard is missing or unfinished. `lost` is set.
SurveyImages join_journals(const std::vector<std::string>& directories, bool partial, Lost& lost,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
