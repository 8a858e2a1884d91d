#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// What a shard's process does: `planning` reads inputs and journals; `stopped` ended in order with work left;
/// `unknown` has not ended, on a file system without locks.
enum class ShardState { planning, running, finished, stopped, killed, unknown };

/// The progress of a shard, or of the whole survey as shard 1 of 1. Members that are not known are empty.
struct ShardStatus {
  Shard shard;
  ShardState state = ShardState::planning;
  std::string host, start;  ///< of its last session
  std::int64_t process = 0;
  std::int64_t done = 0, failed = 0;  ///< images
  std::int64_t under_way = 0;         ///< files; of a killed process, those that were
  std::optional<std::int64_t> files_left, bytes_left;
  std::optional<double> files_per_second, bytes_per_second;  ///< running: in the last ten minutes; else in its session
  std::optional<double> seconds_left;                        ///< at that speed; 0 when finished
  std::optional<std::int64_t> last_record;                   ///< seconds since 1970
  std::int64_t recorded = 0, recorded_bytes = 0;             ///< in its journal, also what was done again
};

/// The images that failed in one way.
struct FailureCount {
  std::string kind;
  std::int64_t images = 0;
  std::string image, reason;  ///< the first by name
};

struct SurveyStatus {
  std::int64_t time = 0;                           ///< seconds since 1970
  std::vector<ShardStatus> shards;                 ///< of the latest division into shards
  std::int64_t missing = 0;                        ///< shards of that division without a journal
  std::int64_t done = 0, failed = 0, sources = 0;  ///< images, and sources of those done, of all journals
  std::vector<FailureCount> failures;              ///< by kind
  std::vector<std::string> failure_lists;          ///< paths of failures.csv, as far as there are any

  /// Sums over all shards; empty if one is not known. Speed is that of running shards, or of all when none runs.
  std::optional<std::int64_t> files_left, bytes_left;
  std::optional<double> files_per_second, bytes_per_second;
  std::optional<double> seconds_left;  ///< of the slowest running shard; empty if another one has work and does not run
};

/// Reads how far the survey in a directory is at `time`. Locks and changes nothing, so that it may be called while the
/// survey runs. Throws Error{config} if the directory has no journal, Error{input} if it cannot be read.
SurveyStatus survey_status(const std::string& directory, std::int64_t time,
                           const std::function<void(const std::string&)>& warn);

}  // namespace srcextract
