#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>

namespace srcextract::testing {

/// A process of its own that says what came of `body` and, if that was an empty text, lives on until it is killed: at
/// the end of this at the latest.
class ForkedProcess {
 public:
  /// `body` gives a text, and `stay`, which it calls to keep what it holds, says it.
  using Stay = std::function<void(const std::string&)>;
  explicit ForkedProcess(const std::function<void(const Stay& stay)>& body) {
    int ends[2];
    if (pipe(ends) != 0 || (pid_ = fork()) < 0) throw std::runtime_error("cannot make a process");
    if (pid_ == 0) {
      close(ends[0]);
      body([&](const std::string& text) {
        if (write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(1);
        close(ends[1]);
        for (;;) pause();
      });
      _exit(0);
    }
    close(ends[1]);
    reader_ = ends[0];
  }
  ~ForkedProcess() { kill(); }
  ForkedProcess(const ForkedProcess&) = delete;
  ForkedProcess& operator=(const ForkedProcess&) = delete;

  pid_t pid() const { return pid_; }

  /// What it says, once it has.
  std::string said() const {
    std::string text;
    for (char c; read(reader_, &c, 1) == 1;) text += c;
    return text;
  }

  /// Returns its exit status.
  int wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    close(reader_);
    pid_ = 0;
    return status;
  }

  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

 private:
  pid_t pid_ = 0;
  int reader_ = -1;
};

}  // namespace srcextract::testing
