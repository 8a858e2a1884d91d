// A library for LD_PRELOAD that makes a directory list its entries in another order, and gives files other inodes, as
// another file system does. ANOTHER_ORDER begins the order; glob() of the C library keeps its own.
#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tests/support/preload/next.hpp"

namespace {

/// A number that no order of names shows (splitmix64). Different numbers have different results.
std::uint64_t mixed(std::uint64_t z) {
  static const char* const text = std::getenv("ANOTHER_ORDER");
  static const std::uint64_t seed = text ? std::strtoull(text, nullptr, 10) : 0;
  z += (seed + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::uint64_t place_of(const dirent& entry) {
  std::uint64_t place = 0;
  for (const char c : std::string_view(entry.d_name)) place = mixed(place + static_cast<unsigned char>(c));
  return place;
}

/// The entries of a directory that is being read.
struct Entries {
  std::vector<std::unique_ptr<dirent>> all;
  std::size_t next = 0;
  int reason = 0;  ///< errno after the last entry
};

std::mutex mutex;
std::map<DIR*, Entries> open_directories;

Entries read_all(DIR* directory, const char* name) {
  Entries entries;
  errno = 0;
  while (const dirent* entry = next<dirent*(DIR*)>(name)(directory)) {
    entries.all.push_back(std::make_unique<dirent>());
    std::memcpy(entries.all.back().get(), entry, std::min<std::size_t>(entry->d_reclen, sizeof(dirent)));
  }
  entries.reason = errno;
  std::ranges::sort(entries.all, {}, [](const auto& entry) { return place_of(*entry); });
  return entries;
}

dirent* read_next(DIR* directory, const char* name) {
  const int before = errno;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = open_directories.try_emplace(directory);
  Entries& entries = place->second;
  if (is_new) entries = read_all(directory, name);
  const bool is_at_end = entries.next == entries.all.size();
  errno = is_at_end && entries.reason != 0 ? entries.reason : before;
  return is_at_end ? nullptr : entries.all[entries.next++].get();
}

int with_another_inode(int result, struct stat* status) {
  if (result == 0) status->st_ino = mixed(status->st_ino);
  return result;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" dirent* readdir(DIR* directory) {
  return read_next(directory, "readdir");
}

extern "C" int closedir(DIR* directory) {
  {
    const std::lock_guard lock(mutex);
    open_directories.erase(directory);
  }
  return next<int(DIR*)>("closedir")(directory);
}

extern "C" int stat(const char* path, struct stat* status) noexcept {
  return with_another_inode(next<int(const char*, struct stat*)>("stat")(path, status), status);
}

extern "C" int lstat(const char* path, struct stat* status) noexcept {
  return with_another_inode(next<int(const char*, struct stat*)>("lstat")(path, status), status);
}

extern "C" int fstat(int file, struct stat* status) noexcept {
  return with_another_inode(next<int(int, struct stat*)>("fstat")(file, status), status);
}

extern "C" int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  return with_another_inode(next<int(int, const char*, struct stat*, int)>("fstatat")(directory, path, status, flags),
                            status);
}

// Python and libstdc++ call these. On 64-bit machines the structures are those above.
static_assert(sizeof(struct stat64) == sizeof(struct stat) && sizeof(dirent64) == sizeof(dirent));

extern "C" dirent64* readdir64(DIR* directory) {
  return reinterpret_cast<dirent64*>(read_next(directory, "readdir"));
}

extern "C" int stat64(const char* path, struct stat64* status) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(status));
}

extern "C" int lstat64(const char* path, struct stat64* status) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(status));
}

extern "C" int fstat64(int file, struct stat64* status) noexcept {
  return fstat(file, reinterpret_cast<struct stat*>(status));
}

extern "C" int fstatat64(int directory, const char* path, struct stat64* status, int flags) noexcept {
  return fstatat(directory, path, reinterpret_cast<struct stat*>(status), flags);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
