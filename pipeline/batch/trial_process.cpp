#include "pipeline/batch/trial_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <spdlog/fmt/fmt.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "pipeline/batch/stopwatch.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::json;

[[noreturn]] void fail(const std::string& what, int reason) {
  throw Error(ErrorKind::memory, "cannot start a process for an image of its own: " + what + ": " +
                                     std::strerror(reason) + "; free some memory, or raise the limits (ulimit -a)");
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

/// Writes the bytes to an anonymous file in memory. Returns a file descriptor whose position is the file's beginning.
/// With a pipe, this process would have to write while the child reads.
int file_of(const std::vector<std::uint8_t>& bytes) {
  const int file = ::memfd_create("request", MFD_CLOEXEC);
  if (file < 0) fail("memfd_create", errno);
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written == 0 || (written < 0 && errno != EINTR)) {
      const int reason = written == 0 ? ENOSPC : errno;
      ::close(file);
      fail("write", reason);
    }
  }
  return file;
}

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGSYS:
      return "SIGSYS";
    case SIGKILL:
      return "SIGKILL";
    case SIGXCPU:
      return "SIGXCPU";
    default:
      return ::strsignal(signal);
  }
}

/// Owns the child process until wait() returns. Destroying this object kills the child.
class Child {
 public:
  Child(int request, int answers) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, request, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, answers, trial_answers);
    std::string name = "srcextract", argument(trial_argument), parent = std::to_string(::getpid());
    std::array<char*, 4> arguments = {name.data(), argument.data(), parent.data(), nullptr};
    // /proc/self/exe runs the executable of this process, even if its path now names another file.
    const int reason = ::posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (reason != 0) fail("posix_spawn", reason);
  }
  ~Child() {
    if (process_ == 0) return;
    kill();
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill() const { ::kill(process_, SIGKILL); }

  /// Waits until the process ends. Returns its status as waitpid(2) does.
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) continue;
    process_ = 0;
    return status;
  }

 private:
  pid_t process_ = 0;
};

/// Reads the child's reports line by line, until the child ends or this object kills the child.
class Conversation {
 public:
  Conversation(const TrialControl& control, const Child& child, int answers)
      : control_(control), child_(child), answers_(answers) {}

  void listen() {
    while (!over_) {
      pollfd from{answers_, POLLIN, 0};
      const int ready = ::poll(&from, 1, static_cast<int>(Stopwatch::tick.count()));
      time_.look();
      if (ready > 0) read();
      if (!late_ && control_.limit > 0 && time_.seconds() > control_.limit) {
        late_ = true;
        child_.kill();
      }
      if (!end_.cut && control_.may_be_cut && control_.should_stop()) {
        end_.cut = true;
        child_.kill();
      }
    }
  }

  TrialEnd end(int status) {
    if (error_) throw Error(*error_);
    if (end_.cut) return end_;
    if (!WIFSIGNALED(status) && WEXITSTATUS(status) == 0) return end_;
    end_.death = death_of(status);
    if (!begun_)
      throw Error(ErrorKind::internal, "a process for an image of its own " + end_.death->reason + " before it began");
    return end_;
  }

 private:
  void read() {
    std::array<char, 65536> block;
    const ssize_t count = ::read(answers_, block.data(), block.size());
    over_ = count == 0 || (count < 0 && errno != EINTR);
    if (count <= 0) return;
    time_.restart();
    text_.append(block.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
      hear(std::string_view(text_).substr(begin, end - begin));
    text_.erase(0, begin);
  }

  void hear(std::string_view line) {
    if (const std::optional<ImageRecord> record = parse_record(line)) {
      const bool begins = !record->done && record->kind.empty();
      end_.image = begins ? record : std::nullopt;
      if (!begins) control_.on_record(*record);
      return;
    }
    const Json json = Json::parse(line);
    if (json.contains("error")) {
      error_.emplace(static_cast<ErrorKind>(json.at("error").get<int>()), json.at("message").get<std::string>());
      return;
    }
    begun_ = true;
    end_.file = json.at("file").get<std::size_t>();
    end_.image.reset();
    control_.on_file(end_.file);
  }

  TrialDeath death_of(int status) const {
    if (late_)
      return {"timeout", fmt::format("took longer than the {:g} s that --image-timeout allows", control_.limit)};
    if (!WIFSIGNALED(status))
      return {"crash", "ended its process with exit code " + std::to_string(WEXITSTATUS(status))};
    const int signal = WTERMSIG(status);
    const std::string by = "ended its process by signal " + std::to_string(signal) + " (" + name_of(signal) + ")";
    if (signal == SIGKILL) return {"memory", by + ", as the system does where memory runs short"};
    return {"crash", by};
  }

  const TrialControl& control_;
  const Child& child_;
  const int answers_;
  std::string text_;
  Stopwatch time_;
  bool over_ = false, late_ = false, begun_ = false;
  std::optional<Error> error_;
  TrialEnd end_;
};

}  // namespace

TrialEnd run_in_process(const TrialRequest& request, const TrialControl& control) {
  const Descriptor question(file_of(format_request(request)));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  const Descriptor listener(ends[0]);
  Descriptor speaker(ends[1]);
  Child child(question.number(), speaker.number());
  speaker.close();
  Conversation conversation(control, child, listener.number());
  conversation.listen();
  return conversation.end(child.wait());
}

}  // namespace srcextract
