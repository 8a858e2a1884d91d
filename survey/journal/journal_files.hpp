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

/// Largest valid session number, 2^53 - 1, up to which every JSON parser reads integers exactly. A line with a larger
/// number counts as damaged.
inline constexpr std::int64_t last_session_number = (std::int64_t{1} << 53) - 1;

/// The work that a session (a run of `srcextract batch`) has to do: number and total size of the files to extract.
struct PlannedWork {
  std::int64_t time = 0;  ///< time at which the plan was made, in seconds since 1970
  std::int64_t files = 0, bytes = 0;
  std::int64_t found = 0;  ///< number of all files of the survey, those of other shards too; 0 in older journals

  bool operator==(const PlannedWork&) const = default;
};

/// The records that were written to a journal at one time, counted in files. A record of one of a file's n images
/// counts as 1 / n file.
struct WrittenRecords {
  std::int64_t time = 0;  ///< time of writing, in seconds since 1970
  double files = 0, bytes = 0;
};

/// Progress of a session (a run of `srcextract batch`).
struct SessionProgress {
  std::string host, start;   ///< host and start time, from the session's first line; empty if not recorded
  std::int64_t process = 0;  ///< process id; 0 if not recorded
  std::optional<PlannedWork> plan;
  /// Directories whose files are gone together, and for which the session waits. Value: the time at which that was
  /// noticed, in seconds since 1970.
  std::map<std::string, std::int64_t> gone = {};
  double files = 0, bytes = 0;        ///< files and bytes recorded since the session began
  std::deque<WrittenRecords> recent;  ///< records written in the recent_seconds before the last write
};

/// Length in seconds of the time before a journal's last write that SessionProgress::recent covers.
inline constexpr std::int64_t recent_seconds = 600;

/// A journal of an output directory, and what was read from it.
struct JournalFile {
  std::string path;
  Shard shard;
  bool complete = false;  ///< whether the last session finished all work of its shard
  bool ended = true;      ///< whether the last session wrote the line that ends it; false while it runs, or if it was
                          ///< killed; true if there is no session
  /// Records of the files whose last record is in this journal. A file is in the ledger of only one journal of the
  /// directory.
  Ledger ledger;
  std::int64_t found = 0;    ///< PlannedWork::found of the last session
  std::int64_t session = 0;  ///< number of the last session; sessions of the directory that begin later have larger
                             ///< numbers
  /// Configuration of the last session, as YAML, without the values from manifests; empty if not recorded.
  std::string config;
  std::string other_config =
      {};  ///< a configuration of an earlier session that differs from `config`; empty if none does
  /// For each file with a failed image: the HDUs that any line of any journal reports as done. -1 stands for the only
  /// image of a file.
  std::map<std::string, std::set<int>> done_before = {};
  SessionProgress progress = {};                  ///< progress of the last session
  std::int64_t recorded = 0, recorded_bytes = 0;  ///< number of all image records in the journal, and the bytes of
                                                  ///< their files
  std::optional<std::int64_t> last_written = {};  ///< time at which the last records were written, in seconds since
                                                  ///< 1970
};

/// The part of the names of a shard's files before their extension: ".2-of-4"; empty for a whole survey.
std::string shard_suffix(const Shard& shard);

/// DIRECTORY/journal.jsonl for a whole survey, or DIRECTORY/journal.2-of-4.jsonl for a shard.
std::string journal_path(const std::string& directory, const Shard& shard);

/// Whether a file is a journal: at least one line is valid, or the file has only an incomplete first line that a killed
/// process wrote. Throws Error{input} if the file cannot be read.
bool holds_journal(const std::string& path);

/// Finds the journals of a directory, sorted by count and then index of their shards, without reading their contents.
/// Throws Error{input} if the directory cannot be read.
std::vector<JournalFile> find_journals(const std::string& directory);

/// Finds and reads the journals of a directory, without locking or changing anything. Damaged lines are left out:
/// - an incomplete last line, which a running process may still be writing, without a warning
/// - any other damaged line, with one `warn` for each journal; the line's session does not count as complete
/// - lines that are lost as a whole, if the end of their session counts more records than there are, or if the ledger
///   has fewer files than the last session found, with one `warn` as well; the session does not count as complete
///
/// A directory that was extracted both as a whole and in shards has journals of both; the journal with the largest
/// `session` is the current one. Throws Error{input} if the directory or a journal cannot be read.
std::vector<JournalFile> read_journals(const std::string& directory,
                                       const std::function<void(const std::string&)>& warn);

Ledger join_ledgers(std::vector<JournalFile> journals);

/// The line that begins a session; `about` is a JSON object without newlines.
std::string format_session(std::int64_t session, const std::string& about);

/// The line with the work that a session has to do.
std::string format_plan(const PlannedWork& plan);

/// The lines which say that the files of a directory are gone together, and that some are back.
std::string format_gone(const std::string& directory, std::int64_t time);
std::string format_back(const std::string& directory);

/// The line before records that are written together; `time` is in seconds since 1970.
std::string format_written(std::int64_t time);

/// The line that ends a session; `images` and `failures` count its records.
std::string format_end(bool complete, const Shard& shard, std::int64_t images, std::int64_t failures);

}  // namespace srcextract
