#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// Throws Error{storage} if `path` no longer names the open file.
void require_in_place(int descriptor, const std::string& path);

/// A text file to which one process appends whole lines. Throws Error{output}, Error{storage}.
class AppendedFile {
 public:
  /// Opens or creates the file. An unfinished last line, left by a killed process, is cut off. Throws if `path` is a
  /// link.
  explicit AppendedFile(std::string path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Appends lines, each with its line end, and returns once they are on the disk. If it throws, the file has none of
  /// them.
  void append(std::string_view lines);

  /// Throws Error{storage} if the path no longer names this file, so that new lines would be lost. append() checks this
  /// too.
  void require_in_place() const { srcextract::require_in_place(descriptor_, path_); }

 private:
  void cut_off_torn_line();

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
