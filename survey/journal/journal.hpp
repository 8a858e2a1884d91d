#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "survey/inputs/shard.hpp"
#include "survey/journal/image_record.hpp"
#include "survey/journal/journal_files.hpp"
#include "survey/journal/underway.hpp"

namespace srcextract {

/// Tag in the names of temporary files of processes that a session of the shard starts for single images.
std::string temporary_tag(const Shard& shard);

/// The journal in an output directory, `journal.jsonl`, or `journal.2-of-4.jsonl` of a shard. The journal has one line
/// of JSON:
/// - for every image whose outputs are in place, or which failed
/// - where a session begins (program, libraries, configuration, host, command, time)
/// - for what a session has to do, and for the time before records that are written together
/// - where a session ends
/// Lines are only appended; the last record of an image counts.
///
/// Once a second all added records are made durable. First the outputs are flushed to disk (Flush::later leaves that to
/// the journal), then their records are written. So a record never names outputs that a failing machine could lose.
/// Images that a killed process had not recorded are extracted again, to the same bytes.
///
/// `failures.csv` (`failures.2-of-4.csv`) lists the images that failed and were not done since: image, hdu, path, kind,
/// reason. The file is removed if there are none. The whole survey's journal excludes shards; its list replaces theirs
/// and includes their failures.
class Journal {
 public:
  /// Locks the journal (`journal.lock`) while this object lives, and reads all journals of the directory, which must
  /// exist. `about` describes the session, as an object of JSON on one line; it is in the journal, on disk, when this
  /// returns. Throws Error{output}, with host and process, if another process holds the same shard. A shard of
  /// another count is an error as well (the whole counts as 1 of 1). A killed process holds no lock, if the file
  /// system's locks work. Throws Error{output}, before any byte is changed, if one of the journal's files is a link or
  /// not srcextract's (survey/journal/own_files.hpp). An incomplete last line is cut off; other damaged lines are left
  /// out, with a `warn`. Temporary files of killed processes are removed. From here on this process's temporary files
  /// are named after the shard, which no other process has.
  Journal(const std::string& directory, const Shard& shard, const std::string& about,
          const std::function<void(const std::string&)>& warn);

  /// Writes the added records, if it can; the session gets no end line.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Hands over the records at the start, from all journals of the directory.
  Ledger take_before();

  /// Writes what the session has to do, for people who watch it. Call it before the first add().
  void plan(std::int64_t files, std::int64_t bytes);

  /// Notes of files that were under way when an earlier process died: of this shard, and of other divisions into
  /// shards. A note stays (survey/journal/underway.hpp) until its file is ended or forgotten.
  const UnderwayNotes& interrupted() const;

  /// Notes that a file is under way, before the file is opened. `trials`: how often the file was tried in a process of
  /// its own. May be called from several threads; so may end(). Throws Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// Call it after all records of the file are added. The note of the file is removed once these records are on disk.
  void end(const std::string& name);

  /// Removes the note of an interrupted file that is no longer part of the work.
  void forget(std::uint64_t name_hash);

  /// Adds a record, once the outputs are in place; a long reason is shortened. May be called from several threads.
  /// Waits if the disk is far behind. Throws the errors of earlier writes: Error{output}, or Error{storage}, also if
  /// the journal was moved or removed.
  void add(ImageRecord record);

  /// Returns when all added records are on disk; no record may be added afterwards. `complete`: the shard has no work
  /// left, which the end line tells merge. Throws as add() does.
  void finish(bool complete);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace srcextract
