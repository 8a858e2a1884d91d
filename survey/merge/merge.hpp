#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace srcextract {

struct Merged {
  std::int64_t images = 0, failures = 0, sources = 0;
};

struct MergeOptions {
  std::vector<std::string> directories;  ///< that batch wrote into
  std::string output;                    ///< the survey catalogue, in the format that its ending tells
  bool partial = false;                  ///< also if a shard is missing or has not finished
  std::string version;                   ///< of srcextract
  double max_failed = 0;                 ///< percent of the images that were done that may have failed since
};

/// Throws Error{config} if the ending of the name of a survey catalogue tells no format.
void require_format(const std::string& output);

/// Joins the catalogues of a survey into one FITS file: HDU 1, SOURCES, every row of every catalogue after a column
/// IMAGE that names where it is from; HDU 2, IMAGES, a row for every image of the journals, also those that failed; or
/// into the files of survey_files (survey/formats/survey_tables.hpp), a table each, or a directory .hats
/// (survey/sky/hats_tables.hpp). The order is that of names, then
/// HDU; bytes do not depend on directories, shards, machines or times, but for the paths of failed images in REASON,
/// which are as they were given. Rows are streamed: memory grows with the number of images, not of sources. Throws
/// Error{config} where the directories are not of one survey (two configurations, no FITS catalogues), Error{input}
/// where a shard has not finished, more images that were done have failed since than options.max_failed allows, an
/// image is said to be done but its catalogue is missing or not as the journal says.
Merged merge_surveys(const MergeOptions& options, const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
