#pragma once

#include <string>

namespace srcextract {

/// Creates or replaces a directory in one step, so that `path` never names an incomplete one. Until commit() the new
/// directory is named `.NAME.partial` beside `path`. If a process is killed, the next process that writes the same
/// directory removes that remainder, and restores `path` if the killed process had moved the old directory away. Throws
/// Error{output} or Error{storage} with path and reason, Error{output} also if another process is writing the same
/// directory.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  /// Path of the directory to write files into before commit(). The caller flushes the files before commit().
  const std::string& place() const { return place_; }

  /// Gives the new directory the name `path`, in one step if the file system can exchange two names. commit() or the
  /// destructor then removes the directory or link that had that name. The target of a link stays.
  void commit();

 private:
  void lock();

  std::string path_, place_;
  int descriptor_ = -1;  ///< open descriptor of `place_`, which holds a lock (flock) on it
  int replaced_ = -1;    ///< open, locked descriptor of the directory that `path_` named before commit(), or -1
};

}  // namespace srcextract
