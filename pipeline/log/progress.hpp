#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace srcextract {

/// Shows the progress of a run.
///
/// On a terminal, shows one line: for a single file the stages that are done, for several files a bar with rate and
/// time left. In the log, writes a line when an image ends, at most once a minute.
///
/// Each thread has its own copy. Copies share the counts, and a lock protects the line.
class Progress {
 public:
  enum class Show { nothing, on_terminal, in_log };

  /// Terminal codes that move to the start of the line and clear it.
  static constexpr const char* clear_line = "\r\x1b[K";

  /// `files` and `bytes`: number and total size of the files.
  Progress(Show show, std::size_t files, std::int64_t bytes);
  Progress(const Progress&) = default;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin_image(const std::string& name);
  void stage_done(const std::string& stage);

  /// Counts one image as finished. Its file has `images` images and `bytes` bytes. May be called from several threads.
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

/// Whether stderr is a terminal that can redraw a line (TERM is not "dumb").
bool stderr_is_terminal();

/// Hours, minutes and seconds, rounded up to a second: "1:02:03".
std::string format_duration(double seconds);

}  // namespace srcextract
