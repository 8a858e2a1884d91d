#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace srcextract {

/// Shows the progress of a run. On a terminal it is one line: for one file the stages that are done, for many a bar
/// with rate and time left. Elsewhere it is a log line every minute, if asked for. Parallel threads each have a copy;
/// copies share the counts and take turns on the line.
class Progress {
 public:
  enum class Show { nothing, on_terminal, in_log };

  /// Returns to the start of the line and clears it.
  static constexpr const char* clear_line = "\r\x1b[K";

  /// `bytes`: size of all files.
  Progress(Show show, std::size_t files, std::int64_t bytes);
  Progress(const Progress&) = default;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin_image(const std::string& name);
  void stage_done(const std::string& stage);

  /// Counts one of the `images` images of a file of `bytes` bytes as finished.
  void end_image(std::int64_t bytes, int images, bool failed);

  void clear() const;

 private:
  struct Counts;
  void draw(const std::string& line) const;

  Show show_;
  std::size_t files_;
  std::shared_ptr<Counts> counts_;
  std::string line_;
};

/// Whether stderr is a terminal that can redraw a line (TERM is not dumb).
bool stderr_is_terminal();

/// "1:02:03".
std::string format_duration(double seconds);

}  // namespace srcextract
