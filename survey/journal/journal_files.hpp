#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"
#include "survey/journal/ledger.hpp"

namespace srcextract {

/// No session has a greater number: a line that says so is damaged. Every JSON parser reads it as it is.
inline constexpr std::int64_t last_session_number = (std::int64_t{1} << 53) - 1;

/// One journal of an output directory.
struct JournalFile {
  std::string path;
  Shard shard;
  bool complete = false;     ///< its last session left no work undone
  bool ended = true;         ///< its last session, if there is one, was not killed: it has an end
  Ledger ledger;             ///< of the files that it spoke of last: each is in one ledger of the directory
  std::int64_t session = 0;  ///< number of its last session: one that began after another had ended has a greater one
  std::string config;        ///< of that session, as YAML, but for what manifests override; empty if it does not say
  /// Of files of which an image failed: the HDUs (-1: the only image) that some line of any journal says were done.
  std::map<std::string, std::set<int>> done_before = {};
};

/// What names of a shard's own files have before their extension: ".2-of-4", nothing for the whole.
std::string shard_suffix(const Shard& shard);

/// DIRECTORY/journal.jsonl, or DIRECTORY/journal.2-of-4.jsonl of a shard.
std::string journal_path(const std::string& directory, const Shard& shard);

/// Whether a file is a journal: some line of it is one of a journal, or it is the beginning of a first line that a
/// process did not live to finish. Throws Error{input} where it cannot be read.
bool holds_journal(const std::string& path);

/// The journals of a directory, by count and index of their shards, unread. Throws Error{input} where the directory
/// cannot be read.
std::vector<JournalFile> find_journals(const std::string& directory);

/// The same, read; none locked or changed. Lines that are none are
/// left out: a last one that is not whole, which may be in the writing; any other with a word of it to `warn`, and the
/// session that it is in does not count as complete. A directory that was worked on as a whole and in shards has
/// journals of both: the greatest `session` says which of them is up to date. Throws Error{input} where the directory
/// or a journal cannot be read.
std::vector<JournalFile> read_journals(const std::string& directory,
                                       const std::function<void(const std::string&)>& warn);

/// All that they say.
Ledger join_ledgers(std::vector<JournalFile> journals);

/// The line that begins a session; `about` is an object of JSON, on one line.
std::string format_session(std::int64_t session, const std::string& about);

/// The line that ends it.
std::string format_end(bool complete, const Shard& shard, std::int64_t images, std::int64_t failures);

}  // namespace srcextract
