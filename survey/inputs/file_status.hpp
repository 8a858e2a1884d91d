#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "survey/inputs/image_file.hpp"

namespace srcextract {

/// The file system's status of a path. Both flags are false if the status cannot be read.
struct FileStatus {
  bool is_directory = false, is_file = false;
  std::int64_t bytes = 0;     ///< of a file
  std::int64_t modified = 0;  ///< of a file: nanoseconds since 1970
  FileIdentity identity = {};
};

FileIdentity identity_of(const struct stat& status);

FileStatus status_of(const struct stat& status);

/// Follows links.
FileStatus status_of(const std::string& path);

/// The path and the reason why its status cannot be read; empty if it can.
std::string why_unseen(const std::string& path);

/// An ImageFile from a known status.
ImageFile image_file(std::string path, std::string name, const FileStatus& status);

/// An ImageFile with the size and time of the file, if it exists.
ImageFile look_at(const std::string& path, const std::string& name);

/// As status_of() for `count` paths, read in parallel.
std::vector<FileStatus> statuses_of(std::size_t count, const std::function<std::string(std::size_t)>& path);

}  // namespace srcextract
