#pragma once

#include <string>

namespace srcextract {

/// A directory that is either complete or not there. Until commit() it is `.NAME.partial` beside `path`; what a process
/// left there that was killed the next one removes. Throws Error{output} naming the path and the reason, also where
/// another process is writing the same one.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  /// Where files are written before it is committed; files have to be flushed.
  const std::string& place() const { return place_; }

  /// Replaces what is at `path`, a directory, a link to one or nothing, in one step, and removes what was there, but
  /// not what a link leads to.
  void commit();

 private:
  void lock();

  std::string path_, place_;
  int descriptor_ = -1;  ///< of `place`, locked
  int replaced_ = -1;    ///< of what was at `path`, likewise
};

}  // namespace srcextract
