#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "survey/merge/survey_images.hpp"

namespace srcextract {

/// Number of images that the journals report as failed after they were done, and of images that were ever done.
struct Lost {
  std::int64_t images = 0, of = 0;
  std::string first;  ///< name of one such image, and why it failed
};

/// Joins the journals of the directories: every image once, in the order of names, then HDU. An image that is done in
/// one directory does not count as failed. Throws Error{config} if a directory has no journal, an image has different
/// results, or shards have different configurations. Throws Error{input} if a shard is missing or unfinished; with
/// `partial` that is a warning. Sets `lost`.
SurveyImages join_journals(const std::vector<std::string>& directories, bool partial, Lost& lost,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
