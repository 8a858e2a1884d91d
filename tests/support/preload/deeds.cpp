// A library for LD_PRELOAD that makes files do harm to the program that opens them, as a defect of a decoder would:
// what a file does stands in its name, as in "x.crash-segv.fits". The program itself knows nothing of it.
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string_view>

#include "tests/support/preload/open_and_read.hpp"

namespace {

/// Files that may still be opened before the process ends; less than 0: it does not.
std::atomic<int> fuse = -1;

void raise_default(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
}

[[noreturn]] void loop() {
  for (std::atomic<unsigned> turns = 0;;) ++turns;
}

void do_deed(std::string_view deed) {
  if (deed == "abort") std::abort();
  if (deed == "segv") raise_default(SIGSEGV);
  if (deed == "fpe") raise_default(SIGFPE);
  if (deed == "ill") raise_default(SIGILL);
  if (deed == "kill") raise_default(SIGKILL);
  if (deed == "exit") std::_Exit(3);
  if (deed == "loop") loop();
  if (deed == "memory") throw std::bad_alloc();
  if (deed == "later") fuse = 5;
}

void look_at(std::string_view path) {
  if (fuse >= 0 && path.ends_with(".fits") && fuse-- == 0) std::abort();
  constexpr std::string_view mark = ".crash-", ending = ".fits";
  const std::size_t at = path.rfind(mark);
  if (at == std::string_view::npos || !path.ends_with(ending)) return;
  const std::size_t begin = at + mark.size();
  do_deed(path.substr(begin, path.size() - ending.size() - begin));
}

void look_into(std::string_view bytes) {
  constexpr std::string_view mark = "DEED:";
  const std::size_t at = bytes.find(mark);
  if (at == std::string_view::npos) return;
  const std::string_view deed = bytes.substr(at + mark.size(), 20);
  do_deed(deed.substr(0, deed.find(';')));
}

}  // namespace

int open_next(const char* name, const char* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) == O_RDONLY && !(flags & O_DIRECTORY)) look_at(path);
  return next<Open>(name)(path, flags, mode);
}

ssize_t read_next(const char* name, int file, void* bytes, size_t count, off_t offset) {
  const ssize_t done = next<Read>(name)(file, bytes, count, offset);
  if (done > 0) look_into({static_cast<const char*>(bytes), static_cast<std::size_t>(done)});
  return done;
}
