#pragma once

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

#include "stages/core/error.hpp"

namespace srcextract {

/// An input file that cannot be read now, and perhaps can be a little later: a survey's next start tries it again.
class PassingError : public Error {
 public:
  explicit PassingError(const std::string& message) : Error(ErrorKind::input, message) {}
};

/// Whether that may be so where a system call failed for this reason: what disks, and servers of files, say in passing.
constexpr bool is_passing(int reason) {
  switch (reason) {
    case EIO:
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

/// Throws PassingError, or Error{input} where the reason will not pass: `doing` the file at `path` failed.
[[noreturn]] inline void fail_to(const char* doing, const std::string& path, int reason) {
  const std::string message = path + ": cannot " + doing + " the file: " + std::generic_category().message(reason);
  if (is_passing(reason)) throw PassingError(message + "; look at the disk, or at the server that has the file");
  throw Error(ErrorKind::input, message);
}

/// Calls `call`, which returns less than 0 and sets errno where it fails, until no signal interrupts it.
template <class Call>
auto uninterrupted(Call&& call) {
  for (;;) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// Calls `call`, which returns less than 0 and sets errno where it fails, up to four times while the reason is passing,
/// with pauses of 10, 50 and 250 ms. Returns what the last call returned.
template <class Call>
auto try_again(Call&& call) {
  for (const int pause : {10, 50, 250}) {
    const auto result = call();
    if (result >= 0 || !is_passing(errno)) return result;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause));
  }
  return call();
}

}  // namespace srcextract
