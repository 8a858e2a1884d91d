#include "io/files/byte_stream.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "io/files/passing.hpp"
#include "io/files/refuse.hpp"
#include "io/files/zlib_limit.hpp"

namespace srcextract {
namespace {

// Limits in bytes of zlib's buffer for stored bytes. Between these limits the buffer is as large as the file.
constexpr std::int64_t smallest_buffer = std::int64_t{1} << 12;
constexpr std::int64_t largest_buffer = std::int64_t{1} << 18;

int close_gz(void* file) {
  return gzclose_r(static_cast<gzFile>(file));
}

/// Returns the size of a regular file in bytes. Throws Error{input} for any other kind of file before anything opens
/// the file: opening a pipe would wait for a writer.
std::int64_t regular_file_size(const std::string& path) {
  struct stat status {};
  if (try_again(path, [&] { return ::stat(path.c_str(), &status); }) != 0) fail_to("open", path, errno);
  if (S_ISDIR(status.st_mode)) refuse(path, "this is a directory, not a file; name a table");
  if (!S_ISREG(status.st_mode)) refuse(path, "this is not a regular file; name a table");
  return status.st_size;
}

std::string without_prefix(const std::string& text, const std::string& prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

}  // namespace

ByteStream::ByteStream(std::string path)
    : path_(std::move(path)), stored_size_(regular_file_size(path_)), file_(nullptr, close_gz) {
  errno = 0;
  gzFile file = nullptr;
  try_again(path_, [&] { return (file = gzopen(path_.c_str(), "rbe")) != nullptr ? 0 : -1; });
  if (!file && errno == 0) throw std::bad_alloc();
  if (!file) fail_to("open", path_, errno);
  file_.reset(file);
  gzbuffer(file, static_cast<unsigned>(std::clamp(stored_size_, smallest_buffer, largest_buffer)));
}

std::size_t ByteStream::read(std::span<char> out) {
  auto file = static_cast<gzFile>(file_.get());
  errno = 0;
  const int got = gzread(file, out.data(), static_cast<unsigned>(std::min(std::ssize(out), zlib_limit)));
  if (got > 0) return static_cast<std::size_t>(got);
  const int reason = errno;
  int state = Z_OK;
  const char* message = gzerror(file, &state);
  const std::string again = "; check it with `gzip -t`, and fetch or make the file again";
  if (state == Z_MEM_ERROR) throw std::bad_alloc();
  if (state == Z_ERRNO) fail_to("read", path_, reason);
  if (state == Z_BUF_ERROR) refuse(path_, "the gzip file is truncated: it ends inside its data" + again);
  if (got < 0) refuse(path_, "the gzip file is damaged (" + without_prefix(message, path_ + ": ") + ")" + again);
  return 0;
}

}  // namespace srcextract
