#include "pipeline/batch/absent_inputs.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "pipeline/batch/stopwatch.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {
namespace {

/// How many inputs are looked at. With fewer than two, one that was deleted could not be told from a lost disk.
constexpr std::size_t most_others = 8;

std::vector<std::string> some_that_are_there(const PlannedFiles& files) {
  std::vector<std::string> paths;
  const std::size_t step = std::max<std::size_t>(1, files.size() / most_others);
  for (std::size_t i = 0; i < files.size() && paths.size() < most_others; i += step)
    if (const PlannedFile planned = files[i]; planned.file.bytes > 0) paths.push_back(planned.file.path);
  return paths;
}

}  // namespace

AbsentInputs::AbsentInputs(const PlannedFiles& files, double longest, std::function<bool()> should_stop)
    : others_(longest > 0 ? some_that_are_there(files) : std::vector<std::string>{}),
      longest_(longest),
      should_stop_(std::move(should_stop)) {}

bool AbsentInputs::have_all_gone() const {
  return others_.size() > 1 &&
         std::ranges::none_of(others_, [](const std::string& path) { return why_unseen(path).empty(); });
}

Comeback AbsentInputs::wait_for(const std::string& path) {
  if (others_.size() < 2 || why_unseen(path).empty()) return Comeback::none;
  const std::lock_guard one_at_a_time(mutex_);
  const std::string why = why_unseen(path);
  if (why.empty()) return Comeback::again;  // it came back while another thread waited
  if (stopped_) return Comeback::stop;
  return have_all_gone() ? wait(path, why) : Comeback::none;
}

Comeback AbsentInputs::wait(const std::string& path, const std::string& why) {
  using namespace std::chrono_literals;
  constexpr double longest_pause = 30, tell_every = 300;
  spdlog::warn(
      "{}; other inputs are gone too: the run waits until they are back, at most {:g} s (--wait); mount their disk "
      "again, or "
      "stop the run with SIGINT or SIGTERM",
      why, longest_);
  Stopwatch time;
  for (double pause = 0.5, next = pause, next_word = tell_every; !should_stop_();) {
    std::this_thread::sleep_for(100ms);
    time.look();
    const double waited = time.seconds();
    if (waited > longest_) {
      gave_up_ = true;
      break;
    }
    if (waited > next_word) {
      spdlog::warn("the inputs are still gone after {:.0f} s; waiting", waited);
      next_word += tell_every;
    }
    if (waited < next) continue;
    if (why_unseen(path).empty()) {
      spdlog::info("the inputs are back after {:.1f} s; going on", waited);
      return Comeback::again;
    }
    pause = std::min(2 * pause, longest_pause);
    next = waited + pause;
  }
  stopped_ = true;
  return Comeback::stop;
}

}  // namespace srcextract
