#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "survey/merge/survey_images.hpp"

namespace srcextract {

/// images: number of images that failed after they had been done. of: number of images that were ever done.
struct Lost {
  std::int64_t images = 0, of = 0;
  std::string first;  ///< name of the first image that failed after it had been done, and the reason
};

/// Joins the journals of the directories. The result has every image once, sorted by name and then HDU. An image that
/// is done in one directory and failed in another counts as done. Sets `lost`. Throws Error{config} if a directory has
/// no journal, an image has different results, or journals have different configurations. Throws Error{input} if a
/// shard (a part of the survey) is missing or unfinished; with `partial`, calls `warn` instead.
SurveyImages join_journals(const std::vector<std::string>& directories, bool partial, Lost& lost,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
