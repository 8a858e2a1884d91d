#pragma once

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <thread>

#include "stages/core/error.hpp"

namespace srcextract {

/// An input file that cannot be read now but may be readable later. A survey (the extraction of many files) reads the
/// file again when the survey is next started.
class PassingError : public Error {
 public:
  explicit PassingError(const std::string& message) : Error(ErrorKind::input, message) {}
};

/// Returns true for an errno that disks and file servers may report only for a while.
constexpr bool is_passing(int reason) {
  switch (reason) {
    case EIO:
    case ENXIO:
    case ESTALE:
    case EAGAIN:
    case ETIMEDOUT:
    case ENOTCONN:
    case ECONNRESET:
    case ECONNABORTED:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETDOWN:
    case ENETUNREACH:
    case EREMOTEIO:
      return true;
    default:
      return false;
  }
}

/// Throws the error for a failed system call on the file at `path`; `doing` is a verb like "open". The error is a
/// PassingError if the errno may pass, else Error{input}.
[[noreturn]] inline void fail_to(const char* doing, const std::string& path, int reason) {
  const std::string message = path + ": cannot " + doing + " the file: " + std::generic_category().message(reason);
  if (is_passing(reason)) throw PassingError(message + "; look at the disk, or at the server that has the file");
  throw Error(ErrorKind::input, message);
}

/// Repeats `call` as long as a signal interrupts it (EINTR), and returns the last result. `call` returns a negative
/// number and sets errno if it fails.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// Writes all bytes at `offset`, or at the current position of the file if `offset` is negative. Returns 0, or an
/// errno.
inline int write_all(int descriptor, std::span<const std::byte> bytes, std::int64_t offset = -1) {
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] {
      return offset < 0 ? ::write(descriptor, bytes.data(), bytes.size())
                        : ::pwrite(descriptor, bytes.data(), bytes.size(), offset);
    });
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    if (offset >= 0) offset += written;
  }
  return 0;
}

/// Flushes a descriptor with `system_call` (fsync, fdatasync or syncfs). Returns 0, or an errno if the data may not
/// have reached the disk. Returns 0 also if the file system does not support the call.
inline int sync(int descriptor, int (*system_call)(int)) {
  if (uninterrupted([&] { return system_call(descriptor); }) == 0) return 0;
  return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? 0 : errno;
}

/// Function called before the first repetition of a failed call, with the path and the errno. The default function does
/// nothing; pipeline/log sets another.
inline void (*tell_passing)(const std::string& path, int reason) = [](const std::string&, int) {};

/// Calls `call` up to four times, as long as its errno may pass, with pauses of 10, 50 and 250 ms. `call` returns a
/// negative number and sets errno if it fails. Returns the last result. `path` is the file that `call` works on.
template <class Call>
auto try_again(const std::string& path, Call&& call) {
  constexpr int first = 10;
  for (const int pause : {first, 50, 250}) {
    const auto result = call();
    if (result >= 0 || !is_passing(errno)) return result;
    if (pause == first) tell_passing(path, errno);
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
  return call();
}

}  // namespace srcextract
