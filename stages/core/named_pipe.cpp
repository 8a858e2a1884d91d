#include "stages/core/named_pipe.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace srcextract {
namespace {

constexpr std::chrono::milliseconds between_looks(20), longest_wait(1000);

/// Calls `look` until it returns true, for a second at most. Returns whether it did.
template <class Look>
bool wait_until(Look&& look) {
  for (std::chrono::milliseconds waited(0);; waited += between_looks) {
    if (look()) return true;
    if (waited >= longest_wait) return false;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace

bool is_named_pipe(const std::string& path) {
  struct stat status {};
  struct statfs system {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode) && ::statfs(path.c_str(), &system) == 0 &&
         system.f_type != PIPEFS_MAGIC;
}

std::optional<std::string> read_named_pipe(const std::string& path, std::size_t most) {
  const int pipe = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (pipe < 0) return std::nullopt;
  std::string text(most, '\0');
  std::size_t size = 0;
  const auto read = [&] { return ::read(pipe, text.data() + size, most - size); };
  ssize_t got = 0;
  // No bytes and no error: no process has the pipe open for writing, so far or any more.
  wait_until([&] { return (got = read()) != 0; });
  const bool any_writes = got != 0;
  while (got != 0 && size < most) {
    if (got < 0 && errno != EAGAIN && errno != EINTR) break;
    size += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    if (got < 0) {
      pollfd writer{pipe, POLLIN, 0};
      ::poll(&writer, 1, -1);
    }
    got = read();
  }
  const bool failed = got < 0;
  ::close(pipe);
  if (!any_writes || (failed && size < most)) return std::nullopt;
  text.resize(size);
  return text;
}

bool open_to_reader(const std::string& path) {
  return wait_until([&] { return ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC) >= 0 || errno != ENXIO; });
}

}  // namespace srcextract
