#include "io/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "io/files/passing.hpp"
#include "io/files/temporary_names.hpp"

namespace srcextract {
namespace {

const char* what_to_try(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there, or choose another directory";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n), or use fewer threads";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f), or choose another directory";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a directory that you may write to";
    case ENOENT:
      return "create its directory, or choose another one";
    case ENOTDIR:
      return "a file stands where a directory would have to; choose another directory";
    case ENAMETOOLONG:
      return "choose a shorter name, or rename the image that it is named after";
    case EISDIR:
      return "move away the directory of that name, or choose another output directory";
    default:
      return "check that file system, or choose another directory";
  }
}

/// Returns Error{storage} for an errno that stops every file (such as a full disk), Error{output} for an errno that
/// stops only one file.
ErrorKind kind_of(int reason) {
  const bool every_one = reason == ENOSPC || reason == EDQUOT || reason == EROFS || reason == EIO || reason == ESTALE ||
                         reason == EMFILE || reason == ENFILE;
  return every_one ? ErrorKind::storage : ErrorKind::output;
}

[[noreturn]] void fail(const std::string& path, int reason) {
  throw write_error(path, reason);
}

std::filesystem::path directory_of(const std::string& path) {
  std::filesystem::path directory = std::filesystem::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

/// Returns the status (owner, group, permissions) of the regular file to be replaced, or nothing if there is no such
/// file.
std::optional<struct stat> replaced(const std::string& path) {
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return std::nullopt;
  return there;
}

/// Gives the new file owner, group and permissions of the old file `there`. Only root can change the owner, and other
/// users can set only their own groups. If the group cannot be set, the new group gets no more rights than all users
/// have.
void take_after(const struct stat& there, int descriptor) {
  mode_t mode = there.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  struct stat own {};
  if (::fchown(descriptor, there.st_uid, there.st_gid) != 0 &&
      ::fchown(descriptor, static_cast<uid_t>(-1), there.st_gid) != 0 && ::fstat(descriptor, &own) == 0 &&
      own.st_gid != there.st_gid)
    mode = (mode & ~mode_t{S_IRWXG}) | (mode & ((mode & S_IRWXO) << 3));
  // Ignores a failure: some file systems have no permissions of their own, so that none can be lost.
  ::fchmod(descriptor, mode);
}

/// Returns the path of an open descriptor in /proc, through which linkat() can name an unnamed file.
std::string link_of(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

/// Opens an unnamed file in the directory. Returns -1 if the file system has none, or if /proc is missing, so that the
/// file could not be named later.
int open_unnamed(const std::string& directory) {
  const int descriptor = ::open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::access(link_of(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

/// Calls `create` with temporary names until the result is 0 or more. Returns that result and the name. The name is in
/// the directory of the target `path`, so that the later rename stays within one file system. The name does not contain
/// the target's name, because it could become too long. A name may exist already: a killed process left it, or a
/// process with the same process id runs on another host.
template <class Create>
std::pair<int, std::string> create_temporary(const std::string& path, Create&& create) {
  for (;;) {
    std::string temporary = next_temporary_name(directory_of(path));
    const int created = create(temporary.c_str());
    if (created >= 0) return {created, temporary};
    if (errno != EEXIST && errno != EINTR) fail(path, errno);
  }
}

}  // namespace

void require_replaceable(const std::string& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0) {
    if (errno == ENAMETOOLONG) fail(path, errno);
    return;
  }
  if (S_ISDIR(there.st_mode)) fail(path, EISDIR);
  const bool special = ::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
  if (special || directory_of(path) == "/dev")
    throw Error(ErrorKind::output, "cannot write " + path + ": it is a device or a pipe, and a file would take its " +
                                       "place; choose the name of a file");
}

Error write_error(const std::string& path, int reason) {
  return {kind_of(reason),
          "cannot write " + path + ": " + std::generic_category().message(reason) + "; " + what_to_try(reason)};
}

int sync_directory(const std::string& directory) {
  int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  int reason = sync(descriptor, ::fsync);
  ::close(descriptor);
  return reason;
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  require_replaceable(path_);
  descriptor_ = open_unnamed(directory_of(path_));
  if (descriptor_ >= 0) return;
  // A file that replaces another is readable only for the user while it is written, since the replaced file may be
  // private.
  const mode_t mode = replaced(path_) ? S_IRUSR | S_IWUSR : 0666;
  const auto open_new = [=](const char* name) { return ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode); };
  std::tie(descriptor_, temporary_) = create_temporary(path_, open_new);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      begun_(other.begun_),
      crc32_(other.crc32_),
      overwritten_(other.overwritten_),
      flushed_(other.flushed_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
  flushed_ = false;
  crc32_.add(bytes);
  if (const int reason = write_all(descriptor_, bytes)) fail(path_, reason);
  size_ += std::ssize(bytes);
  begin_writing();
}

void OutputFile::begin_writing() {
  constexpr std::int64_t at_a_time = std::int64_t{64} << 20;
  if (size_ - begun_ < at_a_time) return;
  // Starts writing to the disk early, which shortens the wait in flush(). A failure is ignored here, because flush()
  // reports it.
  ::sync_file_range(descriptor_, begun_, size_ - begun_, SYNC_FILE_RANGE_WRITE);
  begun_ = size_;
}

void OutputFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void OutputFile::overwrite(std::int64_t offset, std::string_view text) {
  flushed_ = false;
  overwritten_ = true;
  if (const int reason = write_all(descriptor_, std::as_bytes(std::span(text)), offset)) fail(path_, reason);
}

void OutputFile::flush() {
  if (flushed_) return;
  if (int reason = sync(descriptor_, ::fsync)) fail(path_, reason);
  flushed_ = true;
}

/// Gives the complete file a temporary name and closes it. The file cannot get its final name directly: linkat() cannot
/// replace an existing file, but rename() can.
void OutputFile::name() {
  if (descriptor_ < 0) return;
  if (const std::optional<struct stat> there = replaced(path_)) take_after(*there, descriptor_);
  if (temporary_.empty()) {
    const std::string unnamed = link_of(descriptor_);
    const auto link = [&](const char* name) {
      return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    };
    temporary_ = create_temporary(path_, link).second;
  }
  // Network file systems may report a failed write only when the file is closed.
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(path_, errno);
}

void OutputFile::seal() {
  flush();
  name();
}

void OutputFile::replace_target() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, errno);
  temporary_.clear();
}

void OutputFile::read_back(const std::function<void(std::span<const std::byte>)>& f) const {
  const std::string readable = temporary_.empty() ? link_of(descriptor_) : temporary_;
  std::ifstream from(readable, std::ios::binary);
  std::vector<std::byte> piece(std::size_t{1} << 16);
  for (std::int64_t left = size_; left > 0;) {
    from.read(reinterpret_cast<char*>(piece.data()), std::min(left, std::ssize(piece)));
    if (from.gcount() == 0) fail(path_, EIO);
    f(std::span(piece).first(static_cast<std::size_t>(from.gcount())));
    left -= from.gcount();
  }
}

void OutputFile::commit() {
  srcextract::commit(std::span(this, 1));
}

void commit(std::span<OutputFile> files, Flush flush) {
  if (flush == Flush::now) {
    for (OutputFile& file : files) file.flush();
  }
  for (OutputFile& file : files) file.name();
  for (OutputFile& file : files) file.replace_target();
  if (flush == Flush::later) return;
  std::set<std::string> synced;
  for (const OutputFile& file : files) {
    const std::string directory = directory_of(file.path_);
    if (!synced.insert(directory).second) continue;
    if (int reason = sync_directory(directory)) fail(file.path_, reason);
  }
}

FileSystem::FileSystem(std::string directory)
    : directory_(std::move(directory)), descriptor_(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) fail(directory_, errno);
}

FileSystem::~FileSystem() {
  ::close(descriptor_);
}

void FileSystem::flush() {
  if (const int reason = sync(descriptor_, ::syncfs)) fail(directory_, reason);
}

}  // namespace srcextract
