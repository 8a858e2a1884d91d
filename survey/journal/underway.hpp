#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "survey/inputs/shard.hpp"

namespace srcextract {

/// A note about a file that was being extracted (under way) when the process ended.
struct UnderwayNote {
  bool ended = false;  ///< whether all images of the file were done or had failed, but were perhaps not yet in the
                       ///< journal
  int trials = 0;      ///< number of times that the file was extracted in a process of its own
};

/// Notes by name_hash() of the file's name.
using UnderwayNotes = std::map<std::uint64_t, UnderwayNote>;

/// Keeps notes about the files under way in a notes file, so that the next start finds them if the process dies. The
/// notes file has one line of 128 bytes per file: state, trials, hash of the name, and for users the beginning of the
/// name. A free line is blank.
///
/// A note is one write() without a flush to disk. So notes are kept if the process dies, but may be lost if the machine
/// fails; then no image is suspected of having caused the failure. The notes file is created with the first note.
class Underway {
 public:
  /// Reads the notes in the file at `path`, if it exists, and ignores invalid lines.
  explicit Underway(std::string path);
  ~Underway();
  Underway(const Underway&) = delete;
  Underway& operator=(const Underway&) = delete;

  /// Writes a note that the extraction of a file begins. begin(), end() and forget() may be called by several threads;
  /// they throw Error{output} or Error{storage}.
  void begin(const std::string& name, int trials = 0);

  /// Changes the note: all images of the file are done or have failed, but their records are not on disk yet.
  void end(const std::string& name);

  /// Removes the note about the file with this name_hash().
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
  std::size_t count_ = 0;  ///< number of lines in the notes file
};

/// DIRECTORY/journal.begun for a whole survey, or DIRECTORY/journal.2-of-4.begun for a shard.
std::string underway_path(const std::string& directory, const Shard& shard);

/// Reads the notes in a notes file; returns none if there is no file.
UnderwayNotes read_underway(const std::string& path);

}  // namespace srcextract
