#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace srcextract {

/// What the file system says of a path. A file that cannot be looked at is neither.
struct FileStatus {
  bool is_directory = false, is_file = false;
  std::int64_t bytes = 0;     ///< of a file
  std::int64_t modified = 0;  ///< of a file: nanoseconds since 1970
};

FileStatus status_of(const struct stat& status);

/// Links are followed.
FileStatus status_of(const std::string& path);

/// The path and the reason why it cannot be looked at; empty if it can.
std::string why_unseen(const std::string& path);

/// The same of `count` paths, which are looked at together.
std::vector<FileStatus> statuses_of(std::size_t count, const std::function<std::string(std::size_t)>& path);

}  // namespace srcextract
