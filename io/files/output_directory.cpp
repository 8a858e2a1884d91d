#include "io/files/output_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "io/files/output_file.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// A path without the slashes at its end.
std::string trimmed(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string partial_name(const std::string& path) {
  const fs::path whole(path);
  return whole.parent_path() / ("." + whole.filename().string() + ".partial");
}

/// Name of the replaced directory during commit() on a file system that cannot exchange two names.
std::string name_before(const std::string& place) {
  return place + ".before";
}

/// Gives the replaced directory its name back if a process was killed between the two renames of commit(). Removes the
/// replaced directory if the process was killed after the second rename. The caller holds the lock.
void recover(const std::string& place, const std::string& path) {
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored)))
    fs::remove_all(name_before(place), ignored);
  else
    fs::rename(name_before(place), path, ignored);
}

void remove_contents(const std::string& directory) {
  std::error_code failure;
  fs::directory_iterator entry(directory, failure);
  while (!failure && entry != fs::directory_iterator()) {
    fs::remove_all(entry->path(), failure);
    if (!failure) entry.increment(failure);
  }
  if (failure) throw write_error(directory, failure.value());
}

/// Opens a directory, or returns -1. Refuses a link to a directory: the constructor and the destructor remove contents,
/// and must not remove those of a link's target.
int open_directory(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool is_still(const std::string& path, int descriptor) {
  struct stat at_path {
  }, opened{};
  return ::lstat(path.c_str(), &at_path) == 0 && ::fstat(descriptor, &opened) == 0 && at_path.st_dev == opened.st_dev &&
         at_path.st_ino == opened.st_ino;
}

/// Writes the names of created or renamed files in the directory to the disk.
void flush_names(const std::string& directory) {
  if (const int reason = sync_directory(directory.empty() ? "." : directory)) throw write_error(directory, reason);
}

}  // namespace

OutputDirectory::OutputDirectory(const std::string& path) : path_(trimmed(path)), place_(partial_name(path_)) {
  lock();
  recover(place_, path_);
  remove_contents(place_);
}

OutputDirectory::~OutputDirectory() {
  std::error_code ignored;
  for (const int descriptor : {descriptor_, replaced_}) {
    if (descriptor < 0) continue;
    // Removes the directory only if the name still refers to the locked directory: another process may have created a
    // new directory of that name.
    if (is_still(place_, descriptor)) fs::remove_all(place_, ignored);
    ::close(descriptor);
  }
}

void OutputDirectory::lock() {
  for (;;) {
    if (::mkdir(place_.c_str(), 0777) != 0 && errno != EEXIST) throw write_error(place_, errno);
    descriptor_ = open_directory(place_);
    if (descriptor_ < 0 && errno == ENOENT) continue;  // the process that wrote this directory has just renamed it
    if (descriptor_ < 0) throw write_error(place_, errno);
    const bool taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && is_still(place_, descriptor_)) return;
    ::close(descriptor_);
    if (taken)
      throw Error(ErrorKind::output, "cannot write " + path_ + ": another process is writing it, into " + place_ +
                                         "; wait until it ends, or choose another name");
  }
}

void OutputDirectory::commit() {
  std::error_code failure;
  std::vector<std::string> directories = {place_};
  fs::recursive_directory_iterator entry(place_, failure);
  while (!failure && entry != fs::recursive_directory_iterator()) {
    if (entry->is_directory(failure)) directories.push_back(entry->path());
    if (!failure) entry.increment(failure);
  }
  if (failure) throw write_error(place_, failure.value());
  std::ranges::sort(directories);  // so that an error names the first
  std::ranges::for_each(directories, flush_names);
  // Exchanges the two names: the old directory gets the name place_, under which the destructor removes it. The lock on
  // the old directory keeps other processes from using it under that name.
  replaced_ = open_directory(path_);
  if (replaced_ >= 0) ::flock(replaced_, LOCK_EX | LOCK_NB);
  if (::renameat2(AT_FDCWD, place_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != ENOENT && errno != EINVAL && errno != ENOSYS) throw write_error(path_, errno);
    // A file system that cannot exchange two names needs two renames. Between these, neither directory has the name
    // `path`.
    const std::string before = name_before(place_);
    const bool replaces = ::rename(path_.c_str(), before.c_str()) == 0;
    if (::rename(place_.c_str(), path_.c_str()) != 0) {
      const int reason = errno;
      if (replaces) ::rename(before.c_str(), path_.c_str());
      throw write_error(path_, reason);
    }
    std::error_code ignored;  // recover() removes what is left
    if (replaces) fs::remove_all(before, ignored);
  }
  // `path` was a link: only the link is removed, not its target.
  std::error_code absent;
  if (fs::is_symlink(place_, absent) && !fs::remove(place_, failure) && failure)
    throw write_error(place_, failure.value());
  flush_names(fs::path(path_).parent_path());
}

}  // namespace srcextract
