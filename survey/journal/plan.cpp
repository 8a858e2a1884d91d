#include "survey/journal/plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {
namespace {

/// Of an image or a file; of a file's images the one of least value is the file's.
enum class State { added, changed, failed, done };

struct FileState {
  State state = State::done;
  std::vector<int> done_hdus, failed_hdus;
};

bool is_as_recorded(const std::string& path, std::int64_t bytes) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == bytes;
}

State state_of(const ImageRecord& record, const std::filesystem::path& directory) {
  if (!record.done) return State::failed;
  const bool in_place = std::all_of(record.outputs.begin(), record.outputs.end(), [&](const auto& output) {
    return is_as_recorded(directory / output.first, output.second);
  });
  return in_place ? State::done : State::changed;
}

FileState state_of(const ImageFile& file, const Ledger& ledger, const std::filesystem::path& directory,
                   const std::string& program) {
  const ImagesOfFile images = ledger.images_of(file.name);
  if (images.empty()) return {State::added, {}, {}};
  const ImageRecord& any = images.begin()->second;
  if (any.bytes != file.bytes || any.modified != file.modified || any.config != hash_of_config(file) ||
      any.program != program)
    return {State::changed, {}, {}};
  FileState result;
  if (std::ssize(images) < any.images) result.state = State::added;
  for (const auto& [hdu, record] : images) {
    const State state = state_of(record, directory);
    result.state = std::min(result.state, state);
    if (state == State::done) result.done_hdus.push_back(hdu);
    if (state == State::failed) result.failed_hdus.push_back(hdu);
  }
  return result;
}

/// Counts the file, and returns whether there is anything to do.
bool count(State state, const PlanOptions& options, Plan& plan) {
  switch (state) {
    case State::added:
      ++plan.added;
      return true;
    case State::changed:
      ++plan.changed;
      return true;
    case State::failed: {
      const bool again = options.retry_failed || options.force;
      ++(again ? plan.retried : plan.failed);
      return again;
    }
    case State::done:
      ++(options.force ? plan.forced : plan.done);
      return options.force;
  }
  return false;
}

/// What to leave alone of a file in which something is to be done.
void leave_done(Plan& plan, std::size_t i, FileState state, const PlanOptions& options) {
  if (options.force) return;
  if (options.retry_failed) return plan.files.leave(i, std::move(state.done_hdus), {});
  if (!state.failed_hdus.empty()) ++plan.failed;
  std::vector<int>& hdus = state.done_hdus;
  hdus.insert(hdus.end(), state.failed_hdus.begin(), state.failed_hdus.end());
  std::sort(hdus.begin(), hdus.end());
  plan.files.leave(i, std::move(hdus), std::move(state.failed_hdus));
}

}  // namespace

Plan make_plan(ImageFiles files, const Ledger& ledger, const std::string& directory, const std::string& program,
               const PlanOptions& options) {
  Plan plan;
  plan.files = PlannedFiles(std::move(files));
  const ImageFiles& all = plan.files.files();
  std::vector<std::size_t> to_do;
  // Looking at the outputs of an image that is known is a system call each, and on a network file system a wait.
  constexpr std::size_t at_a_time = 4096;
  std::vector<FileState> states(std::min(at_a_time, all.size()));
  for (std::size_t begin = 0; begin < all.size(); begin += at_a_time) {
    const std::size_t some = std::min(at_a_time, all.size() - begin);
    wait_together(some, [&](std::size_t i) { states[i] = state_of(all[begin + i], ledger, directory, program); });
    for (std::size_t i = 0; i < some; ++i) {
      if (!count(states[i].state, options, plan)) continue;
      to_do.push_back(begin + i);
      leave_done(plan, begin + i, std::move(states[i]), options);
    }
  }
  plan.files.select(to_do);
  return plan;
}

}  // namespace srcextract
