#include "survey/inputs/file_status.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "io/files/passing.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {

FileIdentity identity_of(const struct stat& status) {
  return {status.st_ino, static_cast<std::uint32_t>(status.st_dev)};
}

FileStatus status_of(const struct stat& status) {
  if (S_ISDIR(status.st_mode)) return {.is_directory = true};
  if (!S_ISREG(status.st_mode)) return {};
  return {.is_file = true,
          .bytes = status.st_size,
          .modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
          .identity = identity_of(status)};
}

FileStatus status_of(const std::string& path) {
  struct stat status {};
  return try_again(path, [&] { return stat(path.c_str(), &status); }) == 0 ? status_of(status) : FileStatus{};
}

std::string why_unseen(const std::string& path) {
  struct stat status {};
  if (try_again(path, [&] { return ::stat(path.c_str(), &status); }) == 0) return "";
  return path + ": " + std::generic_category().message(errno);
}

ImageFile image_file(std::string path, std::string name, const FileStatus& status) {
  ImageFile file{.path = std::move(path), .name = std::move(name), .config = {}};
  file.bytes = status.bytes;
  file.modified = status.modified;
  file.identity = status.identity;
  return file;
}

ImageFile look_at(const std::string& path, const std::string& name) {
  return image_file(path, name, status_of(path));
}

std::vector<FileStatus> statuses_of(std::size_t count, const std::function<std::string(std::size_t)>& path) {
  std::vector<FileStatus> statuses(count);
  wait_together(count, [&](std::size_t i) { statuses[i] = status_of(path(i)); });
  return statuses;
}

}  // namespace srcextract
