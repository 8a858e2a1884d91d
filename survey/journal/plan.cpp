#include "survey/journal/plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "io/files/passing.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/files_beside.hpp"
#include "survey/inputs/output_names.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {
namespace {

/// State of an image or a file. The state of a file is the first of these that one of its images has.
enum class State { added, changed, passing, failed, done };

struct FileState {
  State state = State::done;
  std::vector<int> done_hdus, failed_hdus;
  std::string unseen = {};  ///< message with the inaccessible file and the reason; empty if all files are accessible
  std::string other = {};   ///< path of another file whose results have this file's name; empty if there is none
};

/// The paths of all files that the image's result depends on, except for the image file.
std::vector<std::string> further_files_of(const ImageFile& file) {
  std::vector<std::string> paths;
  const auto add_named = [&](const ImageConfig& config) {
    for (const config::NamedFile& named : named_files(config.config)) paths.push_back(named.path);
  };
  add_named(*file.config);
  if (!file.beside) return paths;
  for (const std::string& path : {file.beside->positions, file.beside->reference})
    if (!path.empty()) paths.push_back(path);
  if (file.beside->of_reference) add_named(*file.beside->of_reference);
  if (const DetectionTask* const detection = file.detection()) {
    paths.push_back(detection->path);
    add_named(*detection->given);
  }
  for (const BandFile& band : file.beside->bands) {
    paths.push_back(band.path);
    add_named(*band.given);
  }
  return paths;
}

bool is_as_recorded(const std::string& path, std::int64_t bytes) {
  struct stat status {};
  return try_again(path, [&] { return ::stat(path.c_str(), &status); }) == 0 && S_ISREG(status.st_mode) &&
         status.st_size == bytes;
}

State state_of(const ImageRecord& record, const std::filesystem::path& directory) {
  if (!record.done) return record.kind == transient_kind ? State::passing : State::failed;
  const bool in_place = std::all_of(record.outputs.begin(), record.outputs.end(), [&](const auto& output) {
    return is_as_recorded(directory / output.first, output.second);
  });
  return in_place ? State::done : State::changed;
}

/// Whether a file should have one catalogue of all its HDUs, and that catalogue is missing. Records do not list this
/// catalogue among the outputs.
bool lacks_joined(const ImageFile& file, int images, const std::filesystem::path& directory) {
  const OutputConfig& output = file.config->config.output;
  if (!output.one_catalogue || images < 2) return false;
  const OutputPaths paths = output_paths(directory, file.name, std::nullopt, output);
  std::error_code failure;
  return std::ranges::any_of(paths.catalogs, [&](const auto& catalog) {
    return catalog.first == CatalogFormat::fits && !std::filesystem::exists(catalog.second, failure);
  });
}

bool any_done(const ImagesOfFile& images) {
  return std::ranges::any_of(images, [](const auto& image) { return image.second.done; });
}

bool all_done(const ImagesOfFile& images, const std::filesystem::path& directory) {
  return std::ssize(images) >= images.begin()->second.images && std::ranges::all_of(images, [&](const auto& image) {
           return state_of(image.second, directory) == State::done;
         });
}

/// The path of the file that a record is about, if that is another file than `file` and is still there; else empty. A
/// file that was moved is the same file.
std::string other_file_of(const ImageRecord& record, const ImageFile& file) {
  std::error_code failure;
  const bool is_other = (record.bytes != file.bytes || record.modified != file.modified) &&
                        record.path != std::filesystem::absolute(file.path) &&
                        std::filesystem::exists(record.path, failure) &&
                        !std::filesystem::equivalent(record.path, file.path, failure);
  return is_other ? record.path : "";
}

/// The state of a file with done images if a file is inaccessible: the image file, another file that its extraction
/// needs, or the reference frame that was in a folder. The state is then judged by the records alone. Unset if all
/// files are accessible.
std::optional<FileState> state_if_unseen(const ImageFile& file, const ImagesOfFile& images,
                                         const std::filesystem::path& directory, const std::string& program) {
  const bool is_seen = file.bytes != 0 || file.modified != 0;
  const std::string own = is_seen ? "" : why_unseen(file.path);
  std::string further = file.beside ? file.beside->no_reference : "";
  for (const std::string& path : further_files_of(file))
    if (further.empty()) further = why_unseen(path);
  if (own.empty() && further.empty()) return std::nullopt;
  // The recorded hash covers size and modification time of the other files, so it cannot be compared if one of those is
  // inaccessible.
  const ImageRecord& any = images.begin()->second;
  const bool as_before = any.program == program && (!further.empty() || any.config == hash_of_config(file));
  const State state = as_before && all_done(images, directory) ? State::done : State::changed;
  return FileState{state, {}, {}, own.empty() ? further : own};
}

FileState state_of(const ImageFile& file, const Ledger& ledger, const std::filesystem::path& directory,
                   const std::string& program, const PlanOptions& options) {
  const ImagesOfFile images = ledger.images_of(file.name);
  if (images.empty()) return {State::added, {}, {}};
  const ImageRecord& any = images.begin()->second;
  const bool changed = any.bytes != file.bytes || any.modified != file.modified || any.config != hash_of_config(file) ||
                       any.program != program;
  if ((changed || options.force) && any_done(images))
    if (std::optional<FileState> unseen = state_if_unseen(file, images, directory, program)) return *std::move(unseen);
  if (changed) return {State::changed, {}, {}, {}, any_done(images) ? other_file_of(any, file) : ""};
  FileState result;
  if (std::ssize(images) < any.images) result.state = State::added;
  for (const auto& [hdu, record] : images) {
    const State state = state_of(record, directory);
    result.state = std::min(result.state, state);
    if (state == State::done) result.done_hdus.push_back(hdu);
    if (state == State::failed) result.failed_hdus.push_back(hdu);
  }
  if (result.state == State::done && lacks_joined(file, any.images, directory)) result.state = State::changed;
  return result;
}

/// Counts a file with done images that is inaccessible, or needs an inaccessible file.
void count_unseen(const FileState& state, SurveyPlan& plan) {
  if (plan.unseen + plan.undone == 0) plan.why_unseen = state.unseen;
  if (state.state == State::done) {
    ++plan.done;
    ++plan.unseen;
  } else {
    ++plan.undone;
  }
}

/// Counts a file of this state, as it is treated under the options. Returns whether the file is to be extracted.
bool count(State state, const PlanOptions& options, SurveyPlan& plan) {
  switch (state) {
    case State::added:
      ++plan.added;
      return true;
    case State::changed:
      ++plan.changed;
      return true;
    case State::passing:
      ++plan.retried;
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

/// Notes in the plan which images of a file that is to be extracted are left alone.
void leave_done(SurveyPlan& plan, std::size_t i, FileState state, const PlanOptions& options) {
  if (options.force) return;
  if (options.retry_failed) return plan.files.leave(i, std::move(state.done_hdus), {});
  if (!state.failed_hdus.empty()) ++plan.failed;
  std::vector<int>& hdus = state.done_hdus;
  hdus.insert(hdus.end(), state.failed_hdus.begin(), state.failed_hdus.end());
  std::sort(hdus.begin(), hdus.end());
  plan.files.leave(i, std::move(hdus), std::move(state.failed_hdus));
}

}  // namespace

SurveyPlan make_plan(ImageFiles files, const Ledger& ledger, const std::string& directory, const std::string& program,
                     const PlanOptions& options) {
  SurveyPlan plan;
  plan.files = PlannedFiles(std::move(files));
  const ImageFiles& all = plan.files.files();
  std::vector<std::size_t> to_do;
  // Number of files whose outputs are checked at a time, in parallel. Each check is a system call, which has to wait on
  // a network file system.
  constexpr std::size_t at_a_time = 4096;
  std::vector<FileState> states(std::min(at_a_time, all.size()));
  for (std::size_t begin = 0; begin < all.size(); begin += at_a_time) {
    const std::size_t some = std::min(at_a_time, all.size() - begin);
    wait_together(some,
                  [&](std::size_t i) { states[i] = state_of(all[begin + i], ledger, directory, program, options); });
    for (std::size_t i = 0; i < some; ++i) {
      if (!states[i].other.empty() && plan.replaced++ == 0)
        plan.why_replaced = all[begin + i].path + " has the name of " + states[i].other;
      if (!states[i].unseen.empty()) {
        count_unseen(states[i], plan);
        continue;
      }
      if (!count(states[i].state, options, plan)) continue;
      to_do.push_back(begin + i);
      leave_done(plan, begin + i, std::move(states[i]), options);
    }
  }
  plan.files.select(to_do);
  return plan;
}

}  // namespace srcextract
