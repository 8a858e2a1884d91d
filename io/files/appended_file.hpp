#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// Throws Error{storage} if `path` was moved, removed or replaced, so that `path` no longer names the open file
/// `descriptor`. Throws Error{output} or Error{storage} if an errno that may pass (io/files/passing.hpp) prevents the
/// check.
void require_in_place(int descriptor, const std::string& path);

/// A text file to which one process appends whole lines. The functions throw Error{output} or Error{storage} if the
/// file cannot be written.
class AppendedFile {
 public:
  /// Opens or creates the file. Cuts off an unfinished last line, which a killed process left. Throws Error{output}
  /// also if `path` is a symbolic link or names anything other than a regular file.
  explicit AppendedFile(std::string path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Appends lines, each with its line end, and returns once the lines are on the disk. If append() fails, it cuts the
  /// lines off again before the exception; the cut may fail too.
  void append(std::string_view lines);

  /// Throws Error{storage} if the path no longer names this file, so that new lines would be lost. append() makes the
  /// same check.
  void require_in_place() const { srcextract::require_in_place(descriptor_, path_); }

 private:
  void cut_off_torn_line();

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
