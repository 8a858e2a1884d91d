#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"
#include "survey/journal/ledger.hpp"

namespace srcextract {

/// Greatest session number, which every JSON parser reads exactly; a line with a greater number is damaged.
inline constexpr std::int64_t last_session_number = (std::int64_t{1} << 53) - 1;

/// What a session has to do, in files.
struct PlannedWork {
  std::int64_t time = 0;  ///< when the plan was made, seconds since 1970
  std::int64_t files = 0, bytes = 0;

  bool operator==(const PlannedWork&) const = default;
};

/// The records that a journal wrote at once. A file of several images counts as fractions.
struct WrittenRecords {
  std::int64_t time = 0;  ///< seconds since 1970
  double files = 0, bytes = 0;
};

/// How far a session of a journal is.
struct SessionProgress {
  std::string host, start;   ///< as the session's `about` says; empty if it does not
  std::int64_t process = 0;  ///< 0 if not recorded
  std::optional<PlannedWork> plan;
  double files = 0, bytes = 0;        ///< recorded since
  std::deque<WrittenRecords> recent;  ///< of the ten minutes before the last
};

/// How long before the last records `recent` begins.
inline constexpr std::int64_t recent_seconds = 600;

/// One journal of an output directory.
struct JournalFile {
  std::string path;
  Shard shard;
  bool complete = false;     ///< its last session finished all work
  bool ended = true;         ///< its last session, if any, ended without being killed
  Ledger ledger;             ///< records of the files whose last record is in this journal: each file is in one ledger
                             ///< of the directory
  std::int64_t session = 0;  ///< number of its last session; sessions that begin later have greater numbers
  std::string config;        ///< configuration of the last session, as YAML, without what manifests override; empty if
                             ///< not recorded
  /// For files with a failed image: the HDUs (-1: the only image) that any line of any journal reports as done.
  std::map<std::string, std::set<int>> done_before = {};
  SessionProgress progress = {};                  ///< of its last session
  std::int64_t recorded = 0, recorded_bytes = 0;  ///< all its records, and the bytes of their files
  std::optional<std::int64_t> last_written = {};  ///< when its last records were written, seconds since 1970
};

/// Suffix of a shard's own files before their extension: ".2-of-4"; empty for the whole.
std::string shard_suffix(const Shard& shard);

/// DIRECTORY/journal.jsonl, or DIRECTORY/journal.2-of-4.jsonl of a shard.
std::string journal_path(const std::string& directory, const Shard& shard);

/// Whether a file is a journal: it has a valid line, or only an incomplete first line from a killed process. Throws
/// Error{input} if it cannot be read.
bool holds_journal(const std::string& path);

/// Finds the journals of a directory, sorted by count and index of their shards; does not read their contents. Throws
/// Error{input} if the directory cannot be read.
std::vector<JournalFile> find_journals(const std::string& directory);

/// Finds and reads the journals of a directory. Nothing is locked or changed. Damaged lines are left out:
/// - an incomplete last line, which may still be being written, without a warning
/// - any other line with a `warn`; its session does not count as complete
/// A directory that was extracted both as a whole and in shards has journals of both; the greatest `session` is the
/// current one. Throws Error{input} if the directory or a journal cannot be read.
std::vector<JournalFile> read_journals(const std::string& directory,
                                       const std::function<void(const std::string&)>& warn);

/// One ledger with the records of all these journals.
Ledger join_ledgers(std::vector<JournalFile> journals);

/// The line that begins a session; `about` is an object of JSON, on one line.
std::string format_session(std::int64_t session, const std::string& about);

/// The line that says what a session has to do.
std::string format_plan(const PlannedWork& plan);

/// The line before records that are written together.
std::string format_written(std::int64_t time);

/// The line that ends a session.
std::string format_end(bool complete, const Shard& shard, std::int64_t images, std::int64_t failures);

}  // namespace srcextract
