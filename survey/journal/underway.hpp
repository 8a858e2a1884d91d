#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// A note that a process left about a file which was under way when the process ended.
struct UnderwayNote {
  bool ended = false;  ///< the file's images were done or had failed, but were not yet recorded
  int trials = 0;      ///< how often it was tried by itself
};

/// By name_hash() of the file's name.
using UnderwayNotes = std::map<std::uint64_t, UnderwayNote>;

/// Keeps notes, in a file, of which files are under way, so that the next start knows them if the process dies. The
/// notes file has a line of 128 bytes per file: state, trials, hash of the name, and the beginning of the name, for
/// people. A free line is blank. A note is one write(), without a flush to disk. So it survives the end of the process
/// but not that of the machine, for which no image is to blame. The notes file is created with the first note.
class Underway {
 public:
  /// Reads the notes that are in the file, and ignores invalid ones.
  explicit Underway(std::string path);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  /// Notes that a file is begun. This and the following functions may be called from several threads. Throws
  /// Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// Notes that the file's images are done or have failed, but are not on disk yet.
  void end(const std::string& name);

  /// Removes the note.
  void forget(std::uint64_t hash);

  /// Removes the notes file if it has no notes.
  void remove_if_empty();

 private:
  void write(std::size_t slot, const std::string& line);

  std::string path_;
  std::mutex mutex_;
  int descriptor_ = -1;
  struct Slot {
    std::size_t number = 0;
    int trials = 0;
  };
  std::map<std::uint64_t, Slot> slots_;
  std::vector<std::size_t> free_;
  std::size_t count_ = 0;  ///< number of slots in the file
};

/// DIRECTORY/journal.begun, or DIRECTORY/journal.2-of-4.begun of a shard.
std::string underway_path(const std::string& directory, const Shard& shard);

/// Reads the notes of a notes file; empty if there is no such file.
UnderwayNotes read_underway(const std::string& path);

}  // namespace srcextract
