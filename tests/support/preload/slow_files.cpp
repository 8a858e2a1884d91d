// A library for LD_PRELOAD that makes looking at a file take as long as on a file system of another machine: the
// microseconds that SLOW_FILES says, for every stat and every file or directory that is opened by its path below the
// directory SLOW_FILES_BELOW.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "tests/support/preload/next.hpp"

namespace {

void wait_for(std::string_view path) {
  static const char* const below = std::getenv("SLOW_FILES_BELOW");
  static const char* const time = std::getenv("SLOW_FILES");
  static const std::chrono::microseconds wait(time ? std::atoi(time) : 0);
  // A relative name is an entry of a directory that has been opened.
  if (!below || path.starts_with(below) || !path.starts_with('/')) std::this_thread::sleep_for(wait);
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
extern "C" int stat(const char* path, struct stat* status) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("stat");
  wait_for(path);
  return real(path, status);
}

extern "C" int lstat(const char* path, struct stat* status) noexcept {
  static const auto real = next<int(const char*, struct stat*)>("lstat");
  wait_for(path);
  return real(path, status);
}

extern "C" int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  static const auto real = next<int(int, const char*, struct stat*, int)>("fstatat");
  wait_for(path);
  return real(directory, path, status, flags);
}

extern "C" DIR* opendir(const char* path) {
  static const auto real = next<DIR*(const char*)>("opendir");
  wait_for(path);
  return real(path);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
