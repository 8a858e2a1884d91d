#include "survey/journal/plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "stages/core/parallel.hpp"
#include "survey/inputs/files_beside.hpp"

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
  const auto known = ledger.find(file.name);
  if (known == ledger.end()) return {State::added, {}, {}};
  const std::map<int, ImageRecord>& images = known->second;
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

/// Looking at the outputs is a system call each, and on a network file system a wait.
std::vector<FileState> states_of(const std::vector<ImageFile>& files, const Ledger& ledger,
                                 const std::string& directory, const std::string& program) {
  std::vector<FileState> states(files.size());
  constexpr std::int64_t grain = 64;
  parallel_for(std::ssize(files), grain, Cpu{available_threads()}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) states[i] = state_of(files[i], ledger, directory, program);
  });
  return states;
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

/// A file in which something is to be done, with what to leave alone of it.
PlannedFile planned_file(ImageFile file, FileState state, const PlanOptions& options) {
  PlannedFile planned{.file = std::move(file), .done_hdus = {}};
  if (options.force) return planned;
  std::vector<int>& hdus = planned.done_hdus = std::move(state.done_hdus);
  if (options.retry_failed) return planned;
  planned.failed_hdus = std::move(state.failed_hdus);
  hdus.insert(hdus.end(), planned.failed_hdus.begin(), planned.failed_hdus.end());
  std::sort(hdus.begin(), hdus.end());
  return planned;
}

}  // namespace

std::int64_t total_bytes(const std::vector<PlannedFile>& files) {
  std::int64_t bytes = 0;
  for (const PlannedFile& planned : files) bytes += planned.file.bytes;
  return bytes;
}

Plan make_plan(std::vector<ImageFile> files, const Ledger& ledger, const std::string& directory,
               const std::string& program, const PlanOptions& options) {
  std::vector<FileState> states = states_of(files, ledger, directory, program);
  Plan plan;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!count(states[i].state, options, plan)) continue;
    plan.files.push_back(planned_file(std::move(files[i]), std::move(states[i]), options));
    if (!plan.files.back().failed_hdus.empty()) ++plan.failed;
  }
  return plan;
}

}  // namespace srcextract
