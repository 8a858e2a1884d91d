#include "pipeline/batch/trials.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "io/files/temporary_names.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/log.hpp"
#include "stages/core/counted.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

/// Number of times that a file may end the whole run, although it is extracted in a child process, before the file
/// counts as failed. The system may kill all processes of a job because of one file. A smaller number could be chance,
/// since a scheduler may kill a job at any time.
constexpr int most_trials = 5;

const char* what_to_try(const std::string& kind) {
  if (kind == "memory") return "give it more memory, and try it again with --retry-failed";
  if (kind == "timeout") return "allow more (--image-timeout), and try it again with --retry-failed";
  return "no file should be able to do that: please report it, with the file";
}

/// Paths of all outputs that a file may have. Before the file is opened, the number of its images is unknown. So
/// outputs of single HDUs are found by listing the files whose names begin like theirs.
std::vector<std::string> possible_outputs(const std::string& directory, const ImageFile& file) {
  const Config& config = file.config->config;
  std::vector<std::string> paths = output_paths(directory, file.name, std::nullopt, config.output).all();
  if (!config.input.hdu.several()) return paths;
  const std::filesystem::path base = std::filesystem::path(directory) / (image_stem(file.name) + ".hdu");
  const std::string begin = base.filename();
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(base.parent_path(), failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (entry->path().filename().string().starts_with(begin)) paths.push_back(entry->path());
  }
  return paths;
}

}  // namespace

Trials::Trials(TrialRequest request, double limit, const KeptFiles& kept, Journal& journal, const RunControl& control,
               Progress& progress)
    : request_(std::move(request)),
      limit_(limit),
      kept_(kept),
      journal_(journal),
      control_(control),
      progress_(progress) {}

bool Trials::run(std::vector<PlannedFile> files) {
  if (files.empty()) return true;
  spdlog::info("first, in processes of their own, what was under way when an earlier run came to a sudden end: {}",
               counted(std::ssize(files), "file"));
  const auto ended = std::stable_partition(files.begin(), files.end(), [&](const PlannedFile& planned) {
    return !journal_.interrupted().at(name_hash(planned.file.name)).ended;
  });
  for (auto file = files.begin(); file != ended; ++file) {
    if (control_.should_stop()) return false;
    try_alone(*file);
  }
  return try_together({ended, files.end()});
}

bool Trials::try_together(std::span<PlannedFile> files) {
  while (!files.empty() && !control_.should_stop()) {
    const TrialEnd end = attempt(files, true);
    if (end.cut) return false;
    const std::size_t done = end.death ? end.file : files.size();
    if (done > 0) journal_.end(files[done - 1].file.name);
    if (!end.death) return true;
    try_alone(files[done]);
    files = files.subspan(done + 1);
  }
  return files.empty();
}

void Trials::try_alone(PlannedFile& planned) {
  const ImageFile& file = planned.file;
  const int trials = trials_of(planned);
  if (trials >= most_trials) {
    fail(begin_record(file), {"crash", fmt::format("ended the whole run {} times, by itself", trials)}, planned);
  } else {
    journal_.begin(file.name, trials + 1);
    while (goes_on_after(attempt({&planned, 1}, false), planned)) continue;
  }
  journal_.end(file.name);
}

/// Records as failed the image that was being extracted when the child process ended. Returns whether other images of
/// the file may be left to extract.
bool Trials::goes_on_after(const TrialEnd& end, PlannedFile& planned) {
  if (!end.death) return false;
  if (end.image) {
    fail(*end.image, *end.death, planned);
    return end.image->hdu.has_value();
  }
  // No image was being extracted: the child ended between two images, after the last image, or before the first.
  if (any_recorded_) return !planned.done_hdus.empty();
  fail(begin_record(planned.file), *end.death, planned);
  return false;
}

TrialEnd Trials::attempt(std::span<PlannedFile> files, bool may_be_cut) {
  request_.files.assign(files.begin(), files.end());
  request_.kept.clear();
  for (const PlannedFile& planned : files) {
    const std::vector<std::string> kept = kept_.among(possible_outputs(request_.directory, planned.file));
    request_.kept.insert(request_.kept.end(), kept.begin(), kept.end());
  }
  any_recorded_ = false;
  std::size_t now = 0;
  TrialControl control;
  control.limit = limit_;
  control.may_be_cut = may_be_cut;
  control.should_stop = control_.should_stop;
  control.on_file = [&](std::size_t number) {
    now = number;
    if (now > 0) journal_.end(files[now - 1].file.name);
    progress_.begin_image(files[now].file.path);
    journal_.begin(files[now].file.name, trials_of(files[now]) + (may_be_cut ? 0 : 1));
  };
  control.on_record = [&](const ImageRecord& record) { conclude(record, files[now]); };
  TrialEnd end = run_in_process(request_, control);
  if (end.death || end.cut)
    remove_temporaries(request_.directory, [&](const std::string& tag) { return tag == request_.temporaries; });
  return end;
}

void Trials::conclude(const ImageRecord& record, PlannedFile& planned) {
  any_recorded_ = true;
  if (record.hdu) planned.done_hdus.push_back(*record.hdu);
  if (record.hdu && !record.done) planned.failed_hdus.push_back(*record.hdu);
  control_.on_image({record, planned.file.path, {}, {}});
  progress_.end_image(planned.file.bytes, record.images, !record.done);
}

void Trials::fail(ImageRecord record, const TrialDeath& death, PlannedFile& planned) {
  const std::string& path = planned.file.path;
  record.kind = death.kind;
  record.reason = (record.hdu ? fmt::format("HDU {} of {}", *record.hdu, path) : path) + " " + death.reason +
                  ", also by itself; " + what_to_try(death.kind);
  log_error(record.reason);
  conclude(record, planned);
}

int Trials::trials_of(const PlannedFile& planned) const {
  const auto note = journal_.interrupted().find(name_hash(planned.file.name));
  return note == journal_.interrupted().end() ? 0 : note->second.trials;
}

}  // namespace srcextract
