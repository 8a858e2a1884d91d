#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "survey/image_record.hpp"
#include "survey/shard.hpp"

namespace srcextract {

/// What the journals of a directory say: the last word on every image, by name of the file and then HDU (-1: the file's
/// only one, or the file as a whole).
using Ledger = std::map<std::string, std::map<int, ImageRecord>>;

/// The journal in an output directory, `journal.jsonl`, or `journal.2-of-4.jsonl` of a shard: one line of JSON for
/// every image whose outputs are in place, or which failed, and one for every session (program, libraries,
/// configuration, host, command, time). It is only ever appended to; the last word on an image counts.
///
/// Once a second everything that was added is made last: outputs are flushed to the disk first, their records are
/// written then, so that a record never speaks of outputs that a failing machine could lose. What a killed process had
/// not recorded is done again, to the same bytes. Beside it `failures.csv` (`failures.2-of-4.csv`) lists what failed
/// and was not done since: image, hdu, path, kind, reason; it is removed where nothing failed.
class Journal {
 public:
  /// Locks the journal, for as long as this lives, and reads all journals of the directory. Throws Error{output} if
  /// another process has it, or a shard where this is the whole or the other way round, saying which (host, process); a
  /// process that was killed has it no more, on whatever file system locks work. A last line that was cut short is cut
  /// off; any other that is none is warned of through `warn` and left out. `session` is the line to be written before
  /// the first record.
  Journal(const std::string& directory, const Shard& shard, const std::string& session,
          const std::function<void(const std::string&)>& warn);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// What was known at the start.
  const Ledger& before() const;

  /// From several threads. Throws what kept earlier ones from being written.
  void add(ImageRecord record);

  /// Returns when everything is on the disk. `complete` says that the shard has no work left: the line that merge looks
  /// for. Throws Error{output}.
  void finish(bool complete);

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace srcextract
