#pragma once

#include <string>

namespace srcextract {

/// Writes a directory that is either complete or absent. Until commit() it is `.NAME.partial` beside `path`; the next
/// process removes what a killed process left there. Throws Error{output} with path and reason, also if another process
/// is writing the same directory.
class OutputDirectory {
 public:
  explicit OutputDirectory(const std::string& path);
  ~OutputDirectory();
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  /// Where to write files before commit(). The files must be flushed.
  const std::string& place() const { return place_; }

  /// Replaces the directory, link or nothing at `path`, in one step if the file system can exchange names. Removes the
  /// old directory; the target of a link stays.
  void commit();

 private:
  void lock();

  std::string path_, place_;
  int descriptor_ = -1;  ///< descriptor of `place`, locked
  int replaced_ = -1;    ///< descriptor of the old directory at `path`, locked
};

}  // namespace srcextract
