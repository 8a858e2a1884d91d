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

/// Tells two kinds of missing input files apart: one file that was deleted, and many files that disappeared together,
/// as when their disk is unmounted. Files of the second kind may come back, and wait() waits for them.
///
/// All member functions may be called from several threads.
class AbsentInputs {
 public:
  /// `longest`: the longest time in seconds that wait() waits; with 0, has_gone() always returns false, and any_lost()
  /// tells of the files. wait() also ends when `should_stop` returns true. `on_gone` is called for each directory that
  /// disappeared, with a slash at its end, or empty for all files; `on_back` when files in it are back. `files` must
  /// outlive this object.
  AbsentInputs(const PlannedFiles& files, double longest, std::function<bool()> should_stop,
               std::function<void(const std::string&)> on_gone, std::function<void(const std::string&)> on_back);

  /// Returns whether file `i` disappeared together with its neighbours. Call this after reading file `i` failed.
  ///
  /// The neighbours are the files at distances of 1, 2, 4, 8... from `i` in `files`, as far as they are in
  /// shared_directory(i). Only neighbours that existed when the run began count. Logs a warning once for each directory
  /// that disappeared.
  bool has_gone(std::size_t i);

  /// Whether an earlier has_gone() found that the directory of file `i` disappeared, and no wait() has found that files
  /// in that directory are back since. Does not access the file system.
  bool is_known_gone(std::size_t i) const;

  /// Waits until the files of at least one directory that disappeared are back. Returns false if none is back after
  /// `longest` seconds, or if `should_stop` ended the wait.
  bool wait();

  /// Whether a wait() ended after `longest` seconds with no file back.
  bool gave_up() const { return gave_up_; }

  /// Whether files disappeared together while `longest` was 0, so that nothing waits for them.
  bool any_lost() const { return any_lost_; }

 private:
  using Files = std::vector<std::size_t>;

  std::string path(std::size_t i) const { return files_[i].file.path; }
  std::string shared_directory(std::size_t i) const;
  Files files_beside(std::size_t i, const std::string& directory) const;
  bool any_is_there(const Files& some) const;
  std::size_t forget_those_back();
  std::string names_of_gone() const;

  const PlannedFiles& files_;
  const double longest_;
  const std::function<bool()> should_stop_;
  const std::function<void(const std::string&)> on_gone_, on_back_;
  mutable std::mutex mutex_;
  std::map<std::string, Files> gone_;  ///< key: a directory that disappeared; value: indices of some of its files
  std::atomic<bool> gave_up_ = false, any_lost_ = false;
};

}  // namespace srcextract
