#include "io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

const char* what_to_try(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or choose another directory with --output-dir";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f), or choose another directory with --output-dir";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to with --output-dir";
    case ENOENT:
    case ENOTDIR:
      return "create its directory, or choose another one with --output-dir";
    case EISDIR:
      return "move away the directory of that name, or choose another output directory with --output-dir";
    default:
      return "check that file system, or choose another directory with --output-dir";
  }
}

[[noreturn]] void fail(const std::string& path, int reason) {
  throw Error(ErrorKind::output,
              "cannot write " + path + ": " + std::generic_category().message(reason) + "; " + what_to_try(reason));
}

std::filesystem::path directory_of(const std::string& path) {
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

/// A file beside the target, so that rename stays within one file system. The name does not contain the target's:
/// with any addition that could exceed what the file system allows.
std::pair<int, std::string> create_temporary(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    std::string name = ".srcextract." + std::to_string(::getpid()) + "." + std::to_string(counter++) + ".tmp";
    std::string temporary = directory_of(path) / name;
    int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {descriptor, temporary};
    // The name may be taken by a killed process, or by one of the same number on another host of a shared directory.
    if (errno != EEXIST && errno != EINTR) fail(path, errno);
  }
}

/// 0, or the reason why the data may not have reached the disk. File systems without fsync are taken at their word.
int flush(int descriptor) {
  while (::fsync(descriptor) != 0) {
    if (errno == EINTR) continue;
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 0 : errno;
  }
  return 0;
}

/// Makes a rename in the directory last. A directory that may be written but not read cannot be opened, and has to do
/// without.
int flush_directory(const std::string& directory) {
  int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  int reason = flush(descriptor);
  ::close(descriptor);
  return reason;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::tie(descriptor_, temporary_) = create_temporary(path_);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path_, errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void OutputFile::commit() {
  if (int reason = flush(descriptor_)) fail(path_, reason);
  // Network file systems report a failed write only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
  if (int reason = flush_directory(directory_of(path_))) fail(path_, reason);
}

}  // namespace srcextract
