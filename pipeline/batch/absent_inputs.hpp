#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "survey/journal/planned_files.hpp"

namespace srcextract {

/// Tells inputs that went away together, as where their disk is no longer mounted, from a file that was deleted, and
/// waits for them. The functions may be called from several threads.
class AbsentInputs {
 public:
  /// `longest`: seconds that wait() waits; 0: no file counts as gone. `should_stop` ends the waiting too. `files` must
  /// outlive it.
  AbsentInputs(const PlannedFiles& files, double longest, std::function<bool()> should_stop);

  /// To be called after file `i` could not be read: whether it has gone, and so have those beside it. These are files
  /// at distances of 1, 2, 4, 8... in the plan, in the deepest directory that the file shares with a neighbour. Warns
  /// of a directory once while it is gone.
  bool has_gone(std::size_t i);

  /// Whether has_gone() has found the directory of file `i` gone; looks at no file.
  bool is_known_gone(std::size_t i) const;

  /// Waits until some of the directories that have gone are back. False: none came back in time, or the run is to stop.
  bool wait();

  /// Whether the inputs did not come back in time.
  bool gave_up() const { return gave_up_; }

 private:
  using Files = std::vector<std::size_t>;

  std::string path(std::size_t i) const { return files_[i].file.path; }
  std::string shared_directory(std::size_t i) const;
  Files files_beside(std::size_t i, const std::string& directory) const;
  bool any_is_there(const Files& some) const;
  std::size_t forget_those_back();

  const PlannedFiles& files_;
  const double longest_;
  const std::function<bool()> should_stop_;
  mutable std::mutex mutex_;
  std::map<std::string, Files> gone_;  ///< directories, and some of their files
  std::atomic<bool> gave_up_ = false;
};

}  // namespace srcextract
