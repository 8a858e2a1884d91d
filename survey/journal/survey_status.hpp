#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// State of a shard (a part of the survey). planning: its process is reading inputs and journals. stopped: its process
/// ended normally with work left. killed: its process ended without the line that ends a session. unknown: there is no
/// such line, and the file system has no locks that tell whether the process is running.
enum class ShardState { planning, running, finished, stopped, killed, unknown };

/// The progress of a shard; a survey that is not divided is shard 1 of 1. Optional members are unset if unknown.
struct ShardStatus {
  Shard shard;
  ShardState state = ShardState::planning;
  std::string host, start;  ///< host and start time of the last session
  std::int64_t process = 0;
  std::int64_t done = 0, failed = 0;  ///< numbers of images
  std::int64_t under_way = 0;         ///< number of files that are being extracted, or that were when the process was
                                      ///< killed
  std::optional<std::int64_t> files_left, bytes_left;
  std::optional<double> files_per_second, bytes_per_second;  ///< of a running shard: in the last ten minutes; else in
                                                             ///< its last session
  std::optional<double> seconds_left;                        ///< time that the remaining files take at that speed; 0 if
                                                             ///< finished
  std::map<std::string, std::int64_t> gone = {};             ///< of a running shard: SessionProgress::gone
  std::optional<std::int64_t> last_record;                   ///< time of the last record, in seconds since 1970
  std::int64_t recorded = 0, recorded_bytes = 0;             ///< all records in the journal and the bytes of their
                                                             ///< files, including images that were recorded again
};

/// The number of images that failed with one kind of failure.
struct FailureCount {
  std::string kind;
  std::int64_t images = 0;
  std::string image, reason;  ///< image whose name sorts first, and its reason
};

struct SurveyStatus {
  std::int64_t time = 0;                           ///< time of the status, in seconds since 1970
  std::vector<ShardStatus> shards;                 ///< the shards of the current division: that of the latest session
  std::int64_t missing = 0;                        ///< number of shards of that division that have no journal
  std::int64_t done = 0, failed = 0, sources = 0;  ///< numbers of images, and of sources in the done images, in all
                                                   ///< journals
  std::vector<FailureCount> failures;              ///< sorted by kind
  std::vector<std::string> failure_lists;          ///< paths of the existing lists of failures (failures.csv)

  /// Sums over all shards; unset if a shard's value is unknown. Speeds are those of the running shards, or of all
  /// shards if none is running.
  std::optional<std::int64_t> files_left, bytes_left;
  std::optional<double> files_per_second, bytes_per_second;
  std::optional<double> seconds_left;  ///< maximum over the shards; unset if a shard is missing, or if a shard with
                                       ///< work left is not running or its speed is unknown
};

/// Reads the status of the survey in a directory. Rates and remaining time are computed for `time`, in seconds since
/// 1970. Locks and changes nothing, so it may be called while the survey runs. Throws Error{config} if the directory
/// has no journal, and Error{input} if the directory or a journal cannot be read.
SurveyStatus survey_status(const std::string& directory, std::int64_t time,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
