#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// What a process that is gone had noted of a file.
struct UnderwayNote {
  bool ended = false;  ///< its images were done or had failed, and that was not recorded yet
  int trials = 0;      ///< how often it had been tried by itself
};

/// By name_hash() of the file's name.
using UnderwayNotes = std::map<std::uint64_t, UnderwayNote>;

/// The files that are under way, in a file in the output directory, so that what ends the process does not hide where
/// it was: a line of 128 bytes for each (state, trials, hash of its name, and as much of the name as fits, for people),
/// of which one that is free is blank. A note is one write of the operating system's, without waiting for the disk:
/// what ends a process leaves it there, and what ends the machine was no image. The file is made with the first note.
class Underway {
 public:
  /// Takes over the notes that are in the file; what is none is left out.
  explicit Underway(std::string path);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  /// From several threads, as all that follow. Throws Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// Its images are done, or have failed; that is not on the disk yet.
  void end(const std::string& name);

  /// There is nothing to be said of it any more.
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
  std::size_t count_ = 0;  ///< of all slots of the file
};

/// DIRECTORY/journal.begun, or DIRECTORY/journal.2-of-4.begun of a shard.
std::string underway_path(const std::string& directory, const Shard& shard);

/// What the file notes; nothing where there is none.
UnderwayNotes read_underway(const std::string& path);

}  // namespace srcextract
