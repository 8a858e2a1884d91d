#include "pipeline/progress.hpp"

#include <spdlog/details/console_globals.h>
#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

#include "pipeline/printable.hpp"

namespace srcextract {
namespace {

/// The beginning of `line` that leaves the terminal's last column free: a line that wraps cannot be cleared. Counts
/// bytes, of which a character of UTF-8 has at least as many as columns.
std::string fitted(const std::string& line) {
  winsize terminal{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal) != 0 || terminal.ws_col == 0) return line;
  std::size_t size = terminal.ws_col - 1u;
  if (line.size() <= size) return line;
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (size > 0 && continues_character(line[size])) --size;
  return line.substr(0, size);
}

/// The log's sink on the terminal writes a line in parts, under this lock.
void show(const std::string& text) {
  const std::lock_guard lock(spdlog::details::console_mutex::mutex());
  std::fputs(text.c_str(), stderr);
}

}  // namespace

void Progress::begin_file(const std::string& path) {
  file_ = ++*begun_;
  begin_image(path);
}

void Progress::begin_image(const std::string& name) {
  line_ = fmt::format("[{}/{}] {}:", file_, files_, printable(name));
  draw();
}

void Progress::stage_done(const std::string& stage) {
  line_ += " " + stage;
  draw();
}

void Progress::clear() const {
  if (visible_) show(clear_line);
}

void Progress::draw() const {
  if (visible_) show(clear_line + fitted(line_));
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

}  // namespace srcextract
