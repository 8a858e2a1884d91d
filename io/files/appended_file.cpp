#include "io/files/appended_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "io/files/output_file.hpp"
#include "io/files/passing.hpp"

namespace srcextract {

AppendedFile::AppendedFile(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_error(path_, errno);
  try {
    cut_off_torn_line();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

AppendedFile::~AppendedFile() {
  ::close(descriptor_);
}

void AppendedFile::cut_off_torn_line() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) throw write_error(path_, errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorKind::output, "cannot write " + path_ + ": it is no regular file; remove it");
  size_ = status.st_size;
  std::array<char, 65536> block;
  while (size_ > 0) {
    const std::int64_t begin = (size_ - 1) / std::ssize(block) * std::ssize(block);
    const ssize_t bytes = ::pread(descriptor_, block.data(), static_cast<std::size_t>(size_ - begin), begin);
    if (bytes != size_ - begin) throw write_error(path_, bytes < 0 ? errno : EIO);
    const std::size_t end = std::string_view(block.data(), static_cast<std::size_t>(bytes)).rfind('\n');
    size_ = end == std::string_view::npos ? begin : begin + static_cast<std::int64_t>(end) + 1;
    if (end != std::string_view::npos) break;
  }
  if (size_ != status.st_size && ::ftruncate(descriptor_, size_) != 0) throw write_error(path_, errno);
}

void require_in_place(int descriptor, const std::string& path) {
  struct stat opened {
  }, named{};
  const auto look = [&] { return ::fstat(descriptor, &opened) == 0 ? ::stat(path.c_str(), &named) : -1; };
  const bool is_seen = try_again(path, look) == 0;
  if (!is_seen && is_passing(errno)) throw write_error(path, errno);
  if (is_seen && opened.st_dev == named.st_dev && opened.st_ino == named.st_ino) return;
  throw Error(ErrorKind::storage, path +
                                      " was moved, removed or replaced while srcextract worked there; nothing more is "
                                      "recorded; put it back, and start the same command again");
}

void AppendedFile::append(std::string_view lines) {
  require_in_place();
  int reason = write_all(descriptor_, std::as_bytes(std::span(lines)));
  if (reason == 0) reason = sync(descriptor_, ::fdatasync);
  if (reason == 0) {
    size_ += std::ssize(lines);
    return;
  }
  // If ftruncate fails too, whole lines stay in the file. The next AppendedFile that opens the file cuts off an
  // incomplete last line.
  [[maybe_unused]] const int cut = ::ftruncate(descriptor_, size_);
  throw write_error(path_, reason);
}

}  // namespace srcextract
