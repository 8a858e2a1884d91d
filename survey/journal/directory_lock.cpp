#include "survey/journal/directory_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "io/files/output_file.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// A range of bytes of the lock file. `count` 0: the range extends to the end of the file.
struct ByteRange {
  std::int64_t first = 0, count = 0;
};

constexpr ByteRange gate = {0, 1};

/// Shard I of N locks byte N * bytes_of_a_count + I. The factor is larger than any I, so that all shards have different
/// bytes.
constexpr std::int64_t bytes_of_a_count = std::int64_t{1} << 24;

ByteRange byte_of(const Shard& shard) {
  return {shard.count * bytes_of_a_count + shard.index, 1};
}

Shard shard_of(std::int64_t byte) {
  return {static_cast<int>(byte % bytes_of_a_count), static_cast<int>(byte / bytes_of_a_count)};
}

struct flock request(short type, const ByteRange& bytes) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = bytes.first;
  lock.l_len = bytes.count;
  return lock;
}

/// The first byte in the range that another process has locked, if there is one.
std::optional<std::int64_t> locked_byte(int descriptor, const ByteRange& bytes) {
  struct flock lock = request(F_WRLCK, bytes);
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_start;
}

Error taken_error(const std::string& directory, const Shard& shard, const Shard& holder, const std::string& lines) {
  std::string process = "another process";
  std::istringstream words(lines);
  for (std::string who, pid, host; words >> who >> pid >> host;)
    if (who == shard_text(holder)) process = "process " + pid + " on " + host;
  const std::string what = holder.count == 1 ? "" : " on shard " + shard_text(holder);
  const std::string why = holder.count == shard.count
                              ? "it does this very work; wait until it has ended"
                              : "shards of different counts share images out differently; wait until it has ended, "
                                "start all shards with the same count";
  return {ErrorKind::output,
          process + " is at work in " + directory + what + ": " + why + ", or choose another output directory (-o)"};
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

DirectoryLock::DirectoryLock(std::string path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw write_error(path_, errno);
}

DirectoryLock::DirectoryLock(const std::string& directory, const Shard& shard,
                             const std::function<void(const std::string&)>& warn)
    : DirectoryLock(lock_path(directory)) {
  if (!lock_gate()) {
    warn("the file system of " + directory + " has no locks: make sure that no other process is at work there");
    return;
  }
  require_free(directory, shard);
  struct flock own = request(F_WRLCK, byte_of(shard));
  if (::fcntl(descriptor_, F_OFD_SETLK, &own) != 0) throw write_error(path_, errno);
  sign(shard);
  struct flock opened = request(F_UNLCK, gate);
  if (::fcntl(descriptor_, F_OFD_SETLK, &opened) != 0) throw write_error(path_, errno);
}

DirectoryLock::~DirectoryLock() {
  ::close(descriptor_);
}

/// Waits for and takes the lock on the gate byte. Returns false if the file system has no locks.
bool DirectoryLock::lock_gate() {
  struct flock lock = request(F_WRLCK, gate);
  while (::fcntl(descriptor_, F_OFD_SETLKW, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return false;
    throw write_error(path_, errno);
  }
  return true;
}

void DirectoryLock::require_free(const std::string& directory, const Shard& shard) {
  const std::int64_t same_count = shard.count * bytes_of_a_count;
  const std::int64_t next_count = same_count + bytes_of_a_count;
  const ByteRange fewer = {bytes_of_a_count, same_count - bytes_of_a_count}, more = {next_count, 0};
  for (const ByteRange& bytes : {fewer, byte_of(shard), more}) {
    if (bytes.first == same_count)
      continue;  // N is 1, so there are no fewer shards; a byte count of 0 would mean up
                 // to the end
    if (const auto byte = locked_byte(descriptor_, bytes))
      throw taken_error(directory, shard, shard_of(*byte), holders());
  }
}

std::string DirectoryLock::holders() const {
  std::string text;
  std::array<char, 4096> block;
  for (ssize_t bytes; (bytes = ::pread(descriptor_, block.data(), block.size(), std::ssize(text))) > 0;)
    text.append(block.data(), static_cast<std::size_t>(bytes));
  return text;
}

/// Writes this process's line ("2/4 1234 node07") to the lock file. Lines of other shards of the same count are kept,
/// since these shards may be running.
void DirectoryLock::sign(const Shard& shard) {
  std::string signed_by;
  std::istringstream lines(holders());
  const std::string own = shard_text(shard), same_count = "/" + std::to_string(shard.count);
  for (std::string who, pid, host; lines >> who >> pid >> host;)
    if (who.ends_with(same_count) && who != own) signed_by += who + " " + pid + " " + host + "\n";
  signed_by += own + " " + std::to_string(::getpid()) + " " + host_name() + "\n";
  if (::pwrite(descriptor_, signed_by.data(), signed_by.size(), 0) != std::ssize(signed_by) ||
      ::ftruncate(descriptor_, std::ssize(signed_by)) != 0)
    throw write_error(path_, errno);
}

std::optional<bool> is_at_work(const std::string& directory, const Shard& shard) {
  const int descriptor = ::open(lock_path(directory).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT ? std::optional(false) : std::nullopt;
  const ByteRange byte = byte_of(shard);
  struct flock lock = request(F_WRLCK, byte);
  const bool answered = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  return answered ? std::optional(lock.l_type != F_UNLCK) : std::nullopt;
}

std::string lock_path(const std::string& directory) {
  return std::filesystem::path(directory) / "journal.lock";
}

}  // namespace srcextract
