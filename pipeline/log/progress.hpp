#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace srcextract {

/// How far a run is. On a terminal one line, no longer than that is wide: of one file the stages that are done, of many
/// a bar with rate and time left; elsewhere, if asked for, a line of the log every minute. Threads that work at the
/// same time have a copy each: they count together and take turns on the line.
class Progress {
 public:
  enum class Show { nothing, on_terminal, in_log };

  /// Back to the start of the line, and everything on it gone.
  static constexpr const char* clear_line = "\r\x1b[K";

  /// `bytes` are those of all files.
  Progress(Show show, std::size_t files, std::int64_t bytes);
  Progress(const Progress&) = default;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin_image(const std::string& name);
  void stage_done(const std::string& stage);

  /// One of the `images` of a file of so many bytes is done with.
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

/// Whether stderr is a terminal.
bool stderr_is_terminal();

/// "1:02:03".
std::string format_duration(double seconds);

}  // namespace srcextract
