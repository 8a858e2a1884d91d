// A library for LD_PRELOAD that makes files fail in passing, as a server or a disk does. FAULTS is the probability with
// which open, pread, stat and fsync fail, with ESTALE or EIO; FAULTS_SEED begins its random numbers. With FAULTS_STALE
// every file descriptor fails with ESTALE from its second pread on, as one does that was opened before its server
// started again. Files fail whose paths begin with FAULTS_BELOW, or all without it.
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/support/preload/open_and_read.hpp"

namespace {

std::atomic<std::uint64_t> calls = 0;
constexpr int most_files = 4096;
std::array<std::atomic<int>, most_files> reads = {};  ///< of each descriptor, -1: its file does not fail

std::uint64_t setting(const char* name, double scale) {
  const char* const text = std::getenv(name);
  return text ? static_cast<std::uint64_t>(std::atof(text) * scale) : 0;
}

/// Whether this call fails: by a random number (splitmix64) of the seed and the number of calls so far.
bool fails() {
  static const std::uint64_t threshold = setting("FAULTS", 18446744073709549568.0), seed = setting("FAULTS_SEED", 1);
  std::uint64_t z = (seed * 1000003 + ++calls) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  if (z >= threshold) return false;
  errno = (z & 1) != 0 ? ESTALE : EIO;
  return true;
}

bool is_below(std::string_view path) {
  static const char* const below = std::getenv("FAULTS_BELOW");
  return !below || path.starts_with(below);
}

bool may_fail(int file) {
  return file >= 0 && file < most_files && reads[static_cast<std::size_t>(file)] >= 0;
}

}  // namespace

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  const bool may_fail = is_below(path);
  if (may_fail && fails()) return -1;
  const int file = next<Open>(name)(path, flags, mode);
  if (file >= 0 && file < most_files) reads[static_cast<std::size_t>(file)] = may_fail ? 0 : -1;
  return file;
}

ssize_t read_next(const char* name, int file, void* bytes, size_t count, off_t offset) {
  static const bool stale = std::getenv("FAULTS_STALE") != nullptr;
  if (may_fail(file)) {
    if (stale && ++reads[static_cast<std::size_t>(file)] > 1) {
      errno = ESTALE;
      return -1;
    }
    if (fails()) return -1;
  }
  return next<Read>(name)(file, bytes, count, offset);
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" int stat(const char* path, struct stat* status) noexcept {
  return is_below(path) && fails() ? -1 : next<int(const char*, struct stat*)>("stat")(path, status);
}

extern "C" int lstat(const char* path, struct stat* status) noexcept {
  return is_below(path) && fails() ? -1 : next<int(const char*, struct stat*)>("lstat")(path, status);
}

extern "C" int fstat(int file, struct stat* status) noexcept {
  return may_fail(file) && fails() ? -1 : next<int(int, struct stat*)>("fstat")(file, status);
}

extern "C" int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  return is_below(path) && fails()
             ? -1
             : next<int(int, const char*, struct stat*, int)>("fstatat")(directory, path, status, flags);
}

extern "C" int fsync(int file) {
  return may_fail(file) && fails() ? -1 : next<int(int)>("fsync")(file);
}

extern "C" int fdatasync(int file) {
  return may_fail(file) && fails() ? -1 : next<int(int)>("fdatasync")(file);
}

extern "C" int syncfs(int file) noexcept {
  return may_fail(file) && fails() ? -1 : next<int(int)>("syncfs")(file);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
