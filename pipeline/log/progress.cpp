#include "pipeline/log/progress.hpp"

#include <spdlog/details/console_globals.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "pipeline/log/printable.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_drawings(100);
constexpr std::chrono::minutes between_log_lines(1);

/// Returns the beginning of `line` that fits on the terminal with its last column free, since a line that wraps cannot
/// be cleared. Counts bytes instead of columns: a UTF-8 character has at least as many bytes as columns.
std::string fitted(const std::string& line) {
  winsize terminal{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal) != 0 || terminal.ws_col == 0) return line;
  std::size_t size = terminal.ws_col - 1u;
  if (line.size() <= size) return line;
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (size > 0 && continues_character(line[size])) --size;
  return line.substr(0, size);
}

/// Writes to stderr under the lock of spdlog's terminal sink. Without the lock, this text could get between the parts
/// of a log line.
void show(const std::string& text) {
  const std::lock_guard lock(spdlog::details::console_mutex::mutex());
  std::fputs(text.c_str(), stderr);
}

std::string bar(double share) {
  constexpr std::size_t width = 20;
  const auto full = static_cast<std::size_t>(share * width);
  return "[" + std::string(full, '=') + std::string(width - full, ' ') + "]";
}

}  // namespace

/// Counts that all copies of a Progress share.
struct Progress::Counts {
  std::int64_t bytes;  ///< total size of all files
  std::mutex mutex;
  Clock::time_point begin = Clock::now(), told = begin;
  double files_done = 0, bytes_done = 0;
  std::int64_t failed = 0;

  double share(std::size_t files) const {
    const double share = bytes > 0 ? bytes_done / static_cast<double>(bytes) : files_done / static_cast<double>(files);
    return std::min(share, 1.0);
  }

  /// For example "312 of 1000 files, 45.2 files/s, 1.21 GB/s, ETA 0:12:03, 2 failed".
  std::string describe(std::size_t files) const {
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    const double seconds = std::max(elapsed.count(), 1e-3);
    // Each of a file's n images adds 1/n, and the sum may be slightly below a whole number.
    std::string text = fmt::format("{} of {}, {:.1f} files/s, {:.2f} GB/s", std::floor(files_done + 1e-6),
                                   counted(static_cast<std::int64_t>(files), "file"), files_done / seconds,
                                   bytes_done / seconds / 1e9);
    if (const double done = share(files); done > 0) text += ", ETA " + format_duration(seconds * (1 - done) / done);
    if (failed > 0) text += fmt::format(", {} failed", failed);
    return text;
  }
};

Progress::Progress(Show show, std::size_t files, std::int64_t bytes)
    : show_(show), files_(files), counts_(std::make_shared<Counts>()) {
  counts_->bytes = bytes;
}

void Progress::begin_image(const std::string& name) {
  if (show_ != Show::on_terminal || files_ > 1) return;
  line_ = fmt::format("{}:", printable(name));
  draw(line_);
}

void Progress::stage_done(const std::string& stage) {
  if (show_ != Show::on_terminal || files_ > 1) return;
  line_ += " " + stage;
  draw(line_);
}

void Progress::end_image(std::int64_t bytes, int images, bool failed) {
  if (show_ == Show::nothing) return;
  Counts& counts = *counts_;
  const std::lock_guard lock(counts.mutex);
  counts.files_done += 1.0 / images;
  counts.bytes_done += static_cast<double>(bytes) / images;
  counts.failed += failed ? 1 : 0;
  const auto now = Clock::now();
  if (show_ == Show::in_log && now - counts.told >= between_log_lines) {
    counts.told = now;
    spdlog::info("{}", counts.describe(files_));
  }
  const bool first = counts.told == counts.begin;
  if (show_ == Show::on_terminal && files_ > 1 && (first || now - counts.told >= between_drawings)) {
    counts.told = now;
    draw(
        fmt::format("{} {:3.0f} % {}", bar(counts.share(files_)), 100 * counts.share(files_), counts.describe(files_)));
  }
}

void Progress::clear() const {
  if (show_ == Show::on_terminal) show(clear_line);
}

void Progress::draw(const std::string& line) const {
  show(clear_line + fitted(line));
}

bool stderr_is_terminal() {
  const char* const terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string format_duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace srcextract
