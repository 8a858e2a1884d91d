#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// The file system's status of a path. Both flags are false if the status cannot be read, or if the path is neither a
/// directory nor a regular file.
struct FileStatus {
  bool is_directory = false, is_file = false;
  std::int64_t bytes = 0;     ///< of a regular file: size
  std::int64_t modified = 0;  ///< modification time of a regular file, in nanoseconds since 1970
  FileIdentity identity = {};
};

FileIdentity identity_of(const struct stat& status);

FileStatus status_of(const struct stat& status);

/// Reads the status of the file that `path` names or links to.
FileStatus status_of(const std::string& path);

/// A message with the path and the reason why its status cannot be read; empty if the status can be read.
std::string why_unseen(const std::string& path);

/// Makes an ImageFile from a status that was already read.
ImageFile image_file(std::string path, std::string name, const FileStatus& status);

/// Makes an ImageFile with size, modification time and identity of the file; all are 0 if the status cannot be read, or
/// if `path` is no regular file.
ImageFile look_at(const std::string& path, const std::string& name);

/// Reads the statuses of path(0) to path(count - 1) in parallel (status_of).
std::vector<FileStatus> statuses_of(std::size_t count, const std::function<std::string(std::size_t)>& path);

}  // namespace srcextract
