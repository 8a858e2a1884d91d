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

/// What names of the temporary files contain that processes have which a session of the shard starts for single images.
std::string temporary_tag(const Shard& shard);

/// The journal in an output directory, `journal.jsonl`, or `journal.2-of-4.jsonl` of a shard: one line of JSON for
/// every image whose outputs are in place, or which failed, one where a session begins (program, libraries,
/// configuration, host, command, time) and one where it ends. It is only ever appended to; the last word on an image
/// counts.
///
/// Once a second everything that was added is made last: outputs are flushed to the disk first (they need not be
/// before: Flush::later), their records are written then, so that a record never speaks of outputs that a failing
/// machine could lose. What a killed process had not recorded is done again, to the same bytes. Beside it
/// `failures.csv` (`failures.2-of-4.csv`) lists what failed and was not done since: image, hdu, path, kind, reason; it
/// is removed where nothing failed. That of the whole, which is alone in the directory, takes the place of those of
/// shards and lists what failed in theirs.
class Journal {
 public:
  /// Locks the journal (`journal.lock`), for as long as this lives, and reads all journals of the directory, which must
  /// be there. Throws Error{output} if another process has it, or a shard where this is the whole or the other way
  /// round, or a shard of another count, saying which (host, process); a process that was killed has it no more, on
  /// whatever file system locks work. Throws Error{output} also, before any byte is changed, if one of its files is a
  /// link or somebody else's (survey/journal/own_files.hpp). A last line that was cut short is cut off; any other that
  /// is none is warned of through `warn` and left out. Temporary files that killed processes left in the directory are
  /// removed; those of this process are called after the shard, which no other has, from here on. `about` says what
  /// begins here, an object of JSON on one line; it is in the journal, on the disk, when this returns.
  Journal(const std::string& directory, const Shard& shard, const std::string& about,
          const std::function<void(const std::string&)>& warn);

  /// Writes what was added, if it can; the session stays without an end.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Hands over what was known at the start, from all journals of the directory.
  Ledger take_before();

  /// The files that were under way when an earlier process ended that was not to end: of this shard, and of those of
  /// other divisions. They stay noted (survey/journal/underway.hpp) until they are ended or forgotten.
  const UnderwayNotes& interrupted() const;

  /// Notes, before it is opened, that a file is under way; `trials` times it has been tried by itself. From several
  /// threads, as the next. Throws Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// After all records of the file have been added. The note goes once they are on the disk.
  void end(const std::string& name);

  /// Of a file that was interrupted: it is no longer part of the work.
  void forget(std::uint64_t name_hash);

  /// From several threads, once the outputs are in place; of a long reason it keeps the beginning (shortened). Waits
  /// where the disk is far behind. Throws what kept earlier ones from being written: Error{output}, or Error{storage}
  /// also where the journal is no longer in its place.
  void add(ImageRecord record);

  /// Returns when everything is on the disk; nothing is added after. `complete` says that the shard has no work left:
  /// the line that merge looks for. Throws as add() does.
  void finish(bool complete);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace srcextract
