#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// A text that is only ever appended to, whole lines at a time, by one process. Throws Error{output}, Error{storage}.
class AppendedFile {
 public:
  /// Opens or creates it. A last line without its end, which a process did not live to finish, is cut off. A link is
  /// refused.
  explicit AppendedFile(std::string path);
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  /// Returns when all the lines, each with its end, are on the disk. If it throws, none of them is in the file.
  void append(std::string_view lines);

  /// Throws Error{storage} if the file is no longer what its path names, as append() does: what is written to it then
  /// no one would find.
  void require_in_place() const;

 private:
  void cut_off_torn_line();

  std::string path_;
  int descriptor_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace srcextract
