#include "io/files/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "io/files/output_file.hpp"
#include "io/files/passing.hpp"

namespace srcextract {
namespace {

/// Opens an unnamed file. If the file system has none, opens a named file and removes the name at once. Returns -1 on
/// failure.
int open_nameless(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return descriptor;
  std::string name = std::filesystem::path(directory) / ".srcextract.scratch.XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile(const std::string& directory)
    : directory_(directory.empty() ? "." : directory), descriptor_(open_nameless(directory_)) {
  if (descriptor_ < 0) throw write_error(directory_, errno);
}

ScratchFile::~ScratchFile() {
  ::close(descriptor_);
}

void ScratchFile::append(std::span<const std::byte> bytes) {
  if (const int reason = write_all(descriptor_, bytes, size_)) throw write_error(directory_, reason);
  size_ += std::ssize(bytes);
}

void ScratchFile::read(std::int64_t offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const ssize_t got = uninterrupted([&] { return ::pread(descriptor_, out.data(), out.size(), offset); });
    if (got <= 0) throw write_error(directory_, got < 0 ? errno : EIO);
    offset += got;
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace srcextract
