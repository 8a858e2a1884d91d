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

/// An input file that cannot be read now but may be readable later. The next start of the survey tries it again.
class PassingError : public Error {
 public:
  explicit PassingError(const std::string& message) : Error(ErrorKind::input, message) {}
};

/// Whether this errno may pass: an error that disks and file servers report temporarily.
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

/// Reports that `doing` the file at `path` failed: throws PassingError if the reason may pass, else Error{input}.
[[noreturn]] inline void fail_to(const char* doing, const std::string& path, int reason) {
  const std::string message = path + ": cannot " + doing + " the file: " + std::generic_category().message(reason);
  if (is_passing(reason)) throw PassingError(message + "; look at the disk, or at the server that has the file");
  throw Error(ErrorKind::input, message);
}

/// Repeats `call` while a signal interrupts it. `call` returns a negative number and sets errno on failure.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// Writes all bytes, at `offset` or, if that is negative, where the file stands. Returns 0, or an errno.
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

/// Receives the path and the errno of a call that is tried again; the log sets it (pipeline/log).
inline void (*tell_passing)(const std::string& path, int reason) = [](const std::string&, int) {};

/// Repeats `call` for the file or directory at `path`, up to four times in all, while the failure may pass, with pauses
/// of 10, 50 and 250 ms. `call` returns a negative number and sets errno on failure. Returns the last result.
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
