#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// A note that an ended process left about a file.
struct UnderwayNote {
  bool ended = false;  ///< its images were done or had failed, but were not yet recorded
  int trials = 0;      ///< how often it was tried by itself
};

/// By name_hash() of the file's name.
using UnderwayNotes = std::map<std::uint64_t, UnderwayNote>;

/// Notes in a file which files are under way, so that the next start knows them if the process dies. The notes file has
/// a line of 128 bytes per file: state, trials, hash of the name. As much of the name as fits follows, for people. A
/// free line is blank. A note is one write(), without a flush to disk: it survives the end of the process. No image is
/// to blame for the end of the machine. The notes file is created with the first note.
class Underway {
 public:
  /// Reads the notes that are in the file, and ignores invalid ones.
  explicit Underway(std::string path);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  /// May be called from several threads, as may all that follow. Throws Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// Its images are done or have failed, but are not on disk yet.
  void end(const std::string& name);

  /// Removes the note.
  void forget(std::uint64_t hash);

  /// Removes the file if it has no notes.
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

/// The notes in the file; empty if there is no file.
UnderwayNotes read_underway(const std::string& path);

}  // namespace srcextract
