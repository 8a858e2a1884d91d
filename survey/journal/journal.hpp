#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "io/files/appended_file.hpp"
#include "io/files/output_file.hpp"
#include "survey/inputs/shard.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/failures.hpp"
#include "survey/journal/image_record.hpp"
#include "survey/journal/journal_files.hpp"
#include "survey/journal/underway.hpp"

namespace srcextract {

/// Tag in the names of temporary files of the processes that a session of this shard starts for single images.
std::string temporary_tag(const Shard& shard);

/// The journal in an output directory: `journal.jsonl` for a whole survey, or `journal.2-of-4.jsonl` for a shard (a
/// part of the survey). A session is one run of `srcextract batch` on a shard. The journal has one line of JSON for
/// each of these:
/// - an image whose outputs are in place, or which failed (ImageRecord)
/// - the begin of a session: program, libraries, configuration, host, command, time
/// - the work that a session has to do
/// - the time at which the records in the following lines were written
/// - a directory whose files are gone together, or are back
/// - the end of a session
///
/// Lines are only appended. If an image has several records, the last is valid.
///
/// Once a second all added records are written durably: first the outputs are flushed to disk (Flush::later leaves that
/// to the journal), then the records are written. So no record can exist whose outputs are lost when the machine fails.
/// Images that a killed process had not recorded are extracted again, with the same result.
///
/// `failures.csv` (or `failures.2-of-4.csv`) lists the images that failed and were not done since, with the columns
/// image, hdu, path, kind and reason. The file is removed if there are none. A session for the whole survey excludes
/// sessions for shards; its list includes the failures of all shards, and their lists are removed.
class Journal {
 public:
  /// Locks the directory, which must exist, for this shard (DirectoryLock) until the object is destroyed. Reads all
  /// journals of the directory. `about` describes the session, as a JSON object on one line. The constructor returns
  /// after `about` is written to the journal on disk.
  ///
  /// Throws Error{output}, with host and process, if another process has a conflicting lock. Also throws Error{output},
  /// before any byte is changed, if a file of this shard that the journal writes is a link or was not written by
  /// srcextract (survey/journal/own_files.hpp). Notes and lists of failures of other shards are checked later in the
  /// same way, before the session is recorded.
  ///
  /// An incomplete last line is cut off; other damaged lines are left out, with a `warn`. Temporary files of killed
  /// processes are removed. From now on the names of this process's temporary files contain the shard, so they differ
  /// from those of other shards.
  Journal(const std::string& directory, const Shard& shard, const std::string& about,
          const std::function<void(const std::string&)>& warn);

  /// Writes the added records; errors are ignored. Without a call of finish(), the session gets no line for its end.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Returns the records that all journals of the directory had at the start. May be called once.
  Ledger take_before() { return std::move(before_); }

  /// Writes a line with the number of files, and their total size, that the session has to extract; `srcextract status`
  /// shows it. `found` is the number of all files of the survey, those of other shards too. To be called before the
  /// first add().
  void plan(std::int64_t files, std::int64_t bytes, std::int64_t found);

  /// Notes about files that were under way when an earlier process died, in this shard or in shards of other counts. A
  /// note of this shard stays in the notes file (survey/journal/underway.hpp) until forget() is called for its file, or
  /// end() and the next write. Notes files of other shards stay until a session for the whole survey completes.
  const UnderwayNotes& interrupted() const { return interrupted_; }

  /// Writes a note that a file is under way; to be called before the file is opened. `trials` is the number of times
  /// that the file was extracted in a process of its own. begin() and end() may be called by several threads. Throws
  /// Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0) { underway_.begin(name, trials); }

  /// To be called after all records of the file were added. The note about the file is removed once these records are
  /// on disk.
  void end(const std::string& name);

  /// Removes this shard's note about an interrupted file that the session does not extract.
  void forget(std::uint64_t name_hash) { underway_.forget(name_hash); }

  /// Adds a record; to be called after the image's outputs are in place. A long reason is shortened. May be called by
  /// several threads. Waits while 65536 added records wait for the thread that writes them. Throws the errors of
  /// earlier writes: Error{output}, or Error{storage}, which also means that the journal was moved or removed.
  void add(ImageRecord record);

  /// Has a line written, within a second, which says that the files of a directory are gone together since now, or that
  /// some are back. May be called by several threads; `srcextract status` shows the directories.
  void note_gone(const std::string& directory);
  void note_back(const std::string& directory);

  /// Writes the line that ends the session, after all added records are on disk. No record may be added afterwards.
  /// `complete` says in that line that the shard has no work left, which merge requires. Throws as add() does.
  void finish(bool complete);

 private:
  /// Reads the notes of files under way of a shard of another count. The lock guarantees that no process is working on
  /// that shard.
  void note_interrupted(const std::string& directory, const Shard& other);
  void stop();
  void add_note(const std::string& line);
  void write_until_stopped();
  void write(const std::vector<ImageRecord>& records);

  const Shard shard_;
  FileSystem file_system_;
  DirectoryLock lock_;
  AppendedFile file_;
  Ledger before_;
  UnderwayNotes interrupted_;
  std::vector<std::string> others_underway_;
  Underway underway_;

  // Only the writing thread uses these, until it ends.
  std::optional<Failures> failures_;
  std::int64_t images_ = 0, failed_ = 0;

  // add() appends records to `added_`, and the thread writes them to the file once a second.
  std::mutex mutex_;
  std::condition_variable wake_, taken_;
  std::vector<ImageRecord> added_;
  std::string notes_;                 ///< further lines to write
  std::vector<std::uint64_t> ended_;  ///< name hashes of files whose records are all in `added_` or on disk; their
                                      ///< notes are removed after the next write
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace srcextract
