#include "survey/journal/survey_status.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "stages/core/error.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/failures.hpp"
#include "survey/journal/journal_files.hpp"
#include "survey/journal/underway.hpp"

namespace srcextract {
namespace {

ShardState state_of(const JournalFile& journal, const std::optional<bool>& at_work) {
  if (at_work.value_or(false))
    return journal.progress.plan && !journal.ended ? ShardState::running : ShardState::planning;
  if (journal.complete) return ShardState::finished;
  if (journal.ended) return ShardState::stopped;
  return at_work ? ShardState::killed : ShardState::unknown;
}

/// Sets the speed: of the ten minutes before `time` if the shard is running, else of its whole last session.
void set_speed(const SessionProgress& progress, std::int64_t time, ShardStatus& status) {
  if (progress.recent.empty()) return;
  const bool running = status.state == ShardState::running;
  double files = progress.files, bytes = progress.bytes;
  std::int64_t begin = progress.plan->time, end = progress.recent.back().time;
  if (running) {
    begin = std::max(begin, time - recent_seconds);
    end = time;
    files = bytes = 0;
    for (const WrittenRecords& records : progress.recent) {
      if (records.time < begin) continue;
      files += records.files;
      bytes += records.bytes;
    }
  }
  const auto seconds = static_cast<double>(std::max<std::int64_t>(end - begin, 1));
  status.files_per_second = files / seconds;
  status.bytes_per_second = bytes / seconds;
}

/// Seconds that the remaining files take at the shard's speed in bytes, or in files if no bytes are left or no bytes
/// were recorded. 0 if no file is left; unset if the shard is not running or its speed is unknown.
std::optional<double> time_left(const ShardStatus& status) {
  if (status.files_left == 0) return 0.0;
  if (status.state != ShardState::running) return std::nullopt;
  if (*status.bytes_left > 0 && status.bytes_per_second.value_or(0) > 0)
    return static_cast<double>(*status.bytes_left) / *status.bytes_per_second;
  if (status.files_per_second.value_or(0) > 0)
    return static_cast<double>(*status.files_left) / *status.files_per_second;
  return std::nullopt;
}

ShardStatus status_of(const std::string& directory, const JournalFile& journal, std::int64_t time) {
  ShardStatus status;
  status.shard = journal.shard;
  status.state = state_of(journal, is_at_work(directory, journal.shard));
  const SessionProgress& progress = journal.progress;
  status.host = progress.host;
  status.start = progress.start;
  status.process = progress.process;
  status.recorded = journal.recorded;
  status.recorded_bytes = journal.recorded_bytes;
  for (const auto& [name, note] : read_underway(underway_path(directory, journal.shard)))
    status.under_way += note.ended ? 0 : 1;
  status.last_record = journal.last_written;
  if (status.state == ShardState::running) status.gone = progress.gone;
  if (progress.plan) {
    const auto left = [](std::int64_t planned, double recorded) {
      return std::max<std::int64_t>(planned - std::llround(recorded), 0);
    };
    const bool finished = status.state == ShardState::finished;
    status.files_left = finished ? 0 : left(progress.plan->files, progress.files);
    status.bytes_left = finished ? 0 : left(progress.plan->bytes, progress.bytes);
    set_speed(progress, time, status);
    status.seconds_left = time_left(status);
  }
  return status;
}

/// Adds the images of journals to the counts of the survey and of a shard, and counts failures by kind.
class Counting {
 public:
  Counting(SurveyStatus& survey, std::map<std::string, FailureCount>& failures)
      : survey_(survey), failures_(failures) {}

  void add(const Ledger& ledger, ShardStatus* shard) {
    const PackedRecords& records = *ledger.records();
    for (PackedRecords::Place place : ledger.places())
      for (; place != PackedRecords::nowhere; place = records.next_of(place)) add(records.at(place), shard);
  }

 private:
  void add(const ImageRecord& record, ShardStatus* shard) {
    if (record.images == 0) return;
    ++(record.done ? survey_.done : survey_.failed);
    if (shard != nullptr) ++(record.done ? shard->done : shard->failed);
    survey_.sources += record.sources;
    if (record.done) return;
    FailureCount& failure = failures_[record.kind];
    const std::string image = image_label(record);
    if (failure.images++ == 0 || image < failure.image) {
      failure.image = image;
      failure.reason = record.reason;
    }
  }

  SurveyStatus& survey_;
  std::map<std::string, FailureCount>& failures_;
};

/// The sum of one member over the shards, or with `running_alone` over the running shards. Unset if one of these lacks
/// the member.
template <class Number>
std::optional<Number> sum(const std::vector<ShardStatus>& shards, std::optional<Number> ShardStatus::*member,
                          bool running_alone) {
  Number all{};
  for (const ShardStatus& shard : shards) {
    if (running_alone && shard.state != ShardState::running) continue;
    if (!(shard.*member)) return std::nullopt;
    all += *(shard.*member);
  }
  return all;
}

void add_up(SurveyStatus& survey) {
  const std::vector<ShardStatus>& shards = survey.shards;
  const bool any_runs = std::ranges::count(shards, ShardState::running, &ShardStatus::state) > 0;
  survey.files_per_second = sum(shards, &ShardStatus::files_per_second, any_runs);
  survey.bytes_per_second = sum(shards, &ShardStatus::bytes_per_second, any_runs);
  if (survey.missing > 0) return;
  survey.files_left = sum(shards, &ShardStatus::files_left, false);
  survey.bytes_left = sum(shards, &ShardStatus::bytes_left, false);
  double slowest = 0;
  for (const ShardStatus& shard : shards) {
    if (!shard.seconds_left) return;
    slowest = std::max(slowest, *shard.seconds_left);
  }
  survey.seconds_left = slowest;
}

}  // namespace

SurveyStatus survey_status(const std::string& directory, std::int64_t time,
                           const std::function<void(const std::string&)>& warn) {
  std::vector<JournalFile> journals = read_journals(directory, warn);
  if (journals.empty())
    throw Error(ErrorKind::config, directory +
                                       ": `srcextract batch` did not write into this directory: there is no "
                                       "journal.jsonl, nor one of a shard; name the directory given to its -o");
  const int count = std::ranges::max_element(journals, {}, &JournalFile::session)->shard.count;
  SurveyStatus survey;
  survey.time = time;
  std::map<std::string, FailureCount> failures;
  Counting counting(survey, failures);
  for (const JournalFile& journal : journals) {
    const bool current = journal.shard.count == count;
    if (current) survey.shards.push_back(status_of(directory, journal, time));
    counting.add(journal.ledger, current ? &survey.shards.back() : nullptr);
    std::error_code unknown;
    const std::string list = failures_path(directory, journal.shard);
    if (std::filesystem::exists(list, unknown)) survey.failure_lists.push_back(list);
  }
  survey.missing = count - std::ssize(survey.shards);
  for (auto& [kind, failure] : failures) {
    failure.kind = kind;
    survey.failures.push_back(std::move(failure));
  }
  add_up(survey);
  return survey;
}

}  // namespace srcextract
