#include "io/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "io/files/gzip.hpp"
#include "io/files/passing.hpp"
#include "io/files/refuse.hpp"

namespace srcextract {
namespace {

/// Files up to this size in bytes are read into memory when they are opened.
constexpr std::int64_t small_file = std::int64_t{1} << 16;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  return "a device or a socket";
}

/// Opens a file for reading and returns the descriptor. O_NONBLOCK matters for a pipe, where open() would else wait for
/// a writer; look() refuses the pipe later.
int open_regular_file(const std::string& path) {
  const int descriptor = try_again(path, [&] {
    return uninterrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
  });
  if (descriptor < 0 && (errno == EMFILE || errno == ENFILE))
    throw Error(ErrorKind::storage,
                path + ": too many files are open (ulimit -n); raise the limit, or use fewer threads");
  if (descriptor < 0 && errno == ENOENT && path.ends_with(']'))
    refuse(path, "there is no file of this name, all of which counts; HDUs are named by keys, as input.hdu");
  if (descriptor < 0) fail_to("open", path, errno);
  return descriptor;
}

[[noreturn]] void fail_on_change(const std::string& path) {
  refuse(path, "the file changed while it was read; do not write to it meanwhile");
}

[[noreturn]] void fail_on_shorter(const std::string& path) {
  refuse(path, "the file became shorter while it was read; do not write to it meanwhile");
}

}  // namespace

Error memory_error(std::int64_t bytes, const std::string& path, const std::string& purpose) {
  return {ErrorKind::memory, path + ": not enough memory " + purpose + ": it needs " + std::to_string(bytes) +
                                 " bytes at once; run with more memory, or raise the limit on it (`ulimit -v`)"};
}

std::int64_t gzipped_size(const std::string& path) {
  std::error_code failure;  // only a regular file is opened: opening a pipe would wait for a writer
  if (!std::filesystem::is_regular_file(path, failure)) return 0;
  std::ifstream file(path, std::ios::binary);
  std::array<std::byte, 4> bytes{};
  char* const begin = reinterpret_cast<char*>(bytes.data());
  if (!file.read(begin, 2) || !is_gzip(std::span(bytes).first(2))) return 0;
  if (!file.seekg(-4, std::ios::end) || !file.read(begin, 4)) return 0;
  const std::int64_t stored = file.tellg();
  std::int64_t size = 0;
  for (int i = 3; i >= 0; --i) size = size << 8 | std::to_integer<std::int64_t>(bytes[static_cast<std::size_t>(i)]);
  return std::max(size, stored);
}

/// If a read fails with an errno that may pass, opens the file again as `other` and reads from there. The first
/// descriptor can stay invalid, for instance after a file server restarted.
std::int64_t InputFile::read_at(std::int64_t offset, std::int64_t count, std::byte* out) const {
  Descriptor other;
  std::int64_t read = 0;
  while (read < count) {
    bool failed = false;
    const ssize_t got = try_again(path_, [&] {
      if (std::exchange(failed, true)) reopen(other);
      const int number = other.number >= 0 ? other.number : descriptor_.number;
      const auto wanted = static_cast<std::size_t>(count - read);
      return uninterrupted([&] { return ::pread(number, out + read, wanted, offset + read); });
    });
    if (got < 0) fail_to("read", path_, errno);
    if (got == 0) break;
    read += got;
  }
  return read;
}

/// Opens the file again and stores the new descriptor in `other`. Throws Error{input} if size or modification time
/// differ from those at the first opening.
void InputFile::reopen(Descriptor& other) const {
  if (other.number >= 0) ::close(std::exchange(other.number, -1));
  other.number = open_regular_file(path_);
  if (look(other.number) != opened_) fail_on_change(path_);
}

InputFile::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

InputFile::InputFile(std::string path, SizeNeeded needed) : path_(std::move(path)) {
  descriptor_.number = open_regular_file(path_);
  opened_ = look(descriptor_.number);
  size_ = opened_.size;
  if (size_ == 0) refuse(path_, "the file is empty (0 bytes); fetch or make it again");
  if (size_ <= small_file) read_all();
  std::array<std::byte, 2> first{};
  read(0, std::min<std::int64_t>(size_, std::ssize(first)), first.data());
  if (is_gzip(first)) inflate(std::move(needed));
  if (contents_) require_state_at_opening();
}

InputFile::State InputFile::look(int descriptor) const {
  struct stat status {};
  if (try_again(path_, [&] { return ::fstat(descriptor, &status); }) != 0) fail_to("look at", path_, errno);
  if (!S_ISREG(status.st_mode)) {
    refuse(path_, std::string("this is ") + kind_of(status.st_mode) + ", not a file; name a FITS file" +
                      (S_ISDIR(status.st_mode) ? ", or extract all below it with srcextract batch" : ""));
  }
  return {status.st_size, nanoseconds(status.st_mtim)};
}

void InputFile::require_state_at_opening() const {
  struct stat status {};
  const bool is_stale = ::fstat(descriptor_.number, &status) != 0 && is_passing(errno);
  if (is_stale) {
    Descriptor other;
    return reopen(other);
  }
  if (look(descriptor_.number) != opened_) fail_on_change(path_);
}

void InputFile::require_unchanged() const {
  if (!contents_) require_state_at_opening();
}

void InputFile::read_all() {
  auto contents = std::make_shared<std::byte[]>(static_cast<std::size_t>(size_));
  if (read_at(0, size_, contents.get()) < size_) fail_on_shorter(path_);
  contents_ = {contents, contents.get()};
}

void InputFile::inflate(SizeNeeded needed) {
  std::int64_t offset = 0;
  const auto read_next = [&](std::byte* out, std::int64_t room) {
    const std::int64_t wanted = std::min(room, size_ - offset);
    if (read_at(offset, wanted, out) < wanted) fail_on_shorter(path_);
    offset += wanted;
    return wanted;
  };
  Inflated inflated = inflate_gzip(read_next, size_, std::move(needed), path_);
  if (inflated.size == 0) refuse(path_, "the gzip file is empty: nothing is in it; fetch or make it again");
  contents_ = std::move(inflated.bytes);
  size_ = inflated.size;
  inflated_ = true;
}

std::span<const std::byte> InputFile::memory() const {
  return {contents_.get(), contents_ ? static_cast<std::size_t>(size_) : 0};
}

void InputFile::check_range(std::int64_t offset, std::int64_t count) const {
  if (offset < 0 || count < 0 || offset > size_ || count > size_ - offset) {
    refuse(path_, "the file ends before byte " + std::to_string(offset + count));
  }
}

const std::byte* InputFile::in_memory(std::int64_t offset, std::int64_t count) const {
  check_range(offset, count);
  return contents_.get() + offset;
}

void InputFile::read(std::int64_t offset, std::int64_t count, std::byte* out) const {
  check_range(offset, count);
  if (contents_) {
    std::copy_n(contents_.get() + offset, count, out);
    return;
  }
  if (read_at(offset, count, out) < count) fail_on_shorter(path_);
}

}  // namespace srcextract
