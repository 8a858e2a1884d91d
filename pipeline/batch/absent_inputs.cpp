#include "pipeline/batch/absent_inputs.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

#include "pipeline/batch/stopwatch.hpp"
#include "pipeline/log/held_messages.hpp"
#include "stages/core/counted.hpp"
#include "survey/inputs/file_status.hpp"

namespace srcextract {

AbsentInputs::AbsentInputs(const PlannedFiles& files, double longest, std::function<bool()> should_stop,
                           std::function<void(const std::string&)> on_gone,
                           std::function<void(const std::string&)> on_back)
    : files_(files),
      longest_(longest),
      should_stop_(std::move(should_stop)),
      on_gone_(std::move(on_gone)),
      on_back_(std::move(on_back)) {}

/// The deepest directory that file `i` shares with the file before or after it in `files`, with a slash at the end.
/// Empty if they share no directory.
std::string AbsentInputs::shared_directory(std::size_t i) const {
  const std::string own = path(i);
  std::size_t longest = 0;
  const auto compare_with = [&](std::size_t neighbour) {
    const std::string other = path(neighbour);
    const auto end = std::ranges::mismatch(own, other).in1;
    longest = std::max(longest, std::string_view(own.begin(), end).rfind('/') +
                                    1);  // rfind() returns npos without a slash, and npos + 1 is 0
  };
  if (i > 0) compare_with(i - 1);
  if (i + 1 < files_.size()) compare_with(i + 1);
  return own.substr(0, longest);
}

/// Indices of the neighbours of file `i` in `directory` (see has_gone()) that existed when the run began.
AbsentInputs::Files AbsentInputs::files_beside(std::size_t i, const std::string& directory) const {
  Files beside;
  const auto is_beside = [&](std::size_t other) {
    const ImageFile file = files_[other].file;
    if (file.bytes > 0 && file.path.starts_with(directory)) beside.push_back(other);
    return file.path.starts_with(directory);
  };
  for (std::size_t distance = 1; distance <= i && is_beside(i - distance);) distance *= 2;
  for (std::size_t distance = 1; distance < files_.size() - i && is_beside(i + distance);) distance *= 2;
  return beside;
}

bool AbsentInputs::any_is_there(const Files& some) const {
  return std::ranges::any_of(some, [this](std::size_t i) { return why_unseen(path(i)).empty(); });
}

bool AbsentInputs::has_gone(std::size_t i) {
  if (any_lost_) return false;
  const std::string why = why_unseen(path(i));
  if (why.empty()) return false;
  const std::string directory = shared_directory(i);
  const std::lock_guard one_at_a_time(mutex_);
  if (gone_.contains(directory)) return true;
  Files beside = files_beside(i, directory);
  if (beside.empty() || any_is_there(beside)) return false;
  if (longest_ <= 0) {
    any_lost_ = true;
    return false;
  }
  beside.push_back(i);
  gone_.emplace(directory, std::move(beside));
  const MessagesAbout none("");  // this is told at once
  on_gone_(directory);
  spdlog::warn("{}; the inputs beside it are gone too: all in {} are put off until the others are done", why,
               directory.empty() ? "this survey" : directory);
  return true;
}

bool AbsentInputs::is_known_gone(std::size_t i) const {
  const std::lock_guard lock(mutex_);
  return !gone_.empty() && gone_.contains(shared_directory(i));
}

/// Returns the number of directories whose files are back.
std::size_t AbsentInputs::forget_those_back() {
  const std::lock_guard lock(mutex_);
  return std::erase_if(gone_, [this](const auto& gone) {
    const bool is_back = any_is_there(gone.second);
    if (is_back) on_back_(gone.first);
    return is_back;
  });
}

std::string AbsentInputs::names_of_gone() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [directory, files] : gone_) names.push_back(directory.empty() ? "this survey" : directory);
  return first_few(names.size(), [&](std::size_t i) { return names[i]; });
}

bool AbsentInputs::wait() {
  using namespace std::chrono_literals;
  constexpr double longest_pause = 30, tell_every = 300;
  if (forget_those_back() > 0) return true;
  spdlog::warn(
      "inputs are gone, all in {}: the run waits until they are back, at most {:g} s (--wait); mount their disk "
      "again, or stop the run with SIGINT, SIGTERM or SIGHUP",
      names_of_gone(), longest_);
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
      spdlog::warn("the inputs in {} are still gone after {:.0f} s; waiting", names_of_gone(), waited);
      next_word += tell_every;
    }
    if (waited < next) continue;
    if (forget_those_back() > 0) {
      spdlog::info("the inputs are back after {:.1f} s; going on", waited);
      return true;
    }
    pause = std::min(2 * pause, longest_pause);
    next = waited + pause;
  }
  return false;
}

}  // namespace srcextract
