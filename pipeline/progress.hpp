#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace srcextract {

/// One line on the terminal, no longer than that is wide, that says which file of how many is being worked on and which
/// of its stages are done. An invisible one (quiet, or stderr is not a terminal) does nothing. Threads that work at the
/// same time have a copy each: they count together and take turns on the line.
class Progress {
 public:
  /// Back to the start of the line, and everything on it gone.
  static constexpr const char* clear_line = "\r\x1b[K";

  Progress(bool visible, std::size_t files) : visible_(visible), files_(files) {}
  Progress(const Progress&) = default;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin_file(const std::string& path);
  void begin_image(const std::string& name);  ///< one of the images of that file
  void stage_done(const std::string& stage);
  void clear() const;

 private:
  void draw() const;

  bool visible_;
  std::size_t files_;
  std::shared_ptr<std::atomic<std::size_t>> begun_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::size_t file_ = 0;
  std::string line_;
};

/// Whether stderr is a terminal.
bool stderr_is_terminal();

}  // namespace srcextract
