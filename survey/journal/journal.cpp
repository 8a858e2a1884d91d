#include "survey/journal/journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "io/files/temporary_names.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/journal/own_files.hpp"

namespace srcextract {
namespace {

using Warn = std::function<void(const std::string&)>;

constexpr std::chrono::seconds flush_interval{1};

/// Maximum number of records that wait for the disk; they take some tens of MB.
constexpr std::size_t most_waiting = 65536;

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// The tag in the names of temporary files that identifies this shard.
std::string tag_of(const Shard& shard) {
  return std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
}

/// End of the tag of temporary files of processes that try single images (pipeline/batch/trials), after the shard's
/// tag.
constexpr const char* alone = "-alone";

/// Whether no process can be working on shard `other` while this process has the lock of shard `own` (DirectoryLock).
bool is_kept_out(const Shard& other, const Shard& own) {
  return other == own || other.count != own.count;
}

/// Returns the shard after a check of the files that its journal writes.
Shard checked(const std::string& directory, const Shard& shard) {
  require_own_files(directory, shard);
  return shard;
}

/// Removes the temporary files of sessions that were killed. The directory is only searched if a session was killed
/// since this shard's last start.
void clean_up(const std::string& directory, const Shard& shard, const std::vector<JournalFile>& journals) {
  const auto own = std::ranges::find(journals, shard, &JournalFile::shard);
  const std::int64_t last_looked = own == journals.end() ? 0 : own->session;
  const bool any_killed = std::ranges::any_of(journals, [&](const JournalFile& journal) {
    return !journal.ended && journal.session >= last_looked && is_kept_out(journal.shard, shard);
  });
  if (!any_killed) return;
  remove_temporaries(directory, [&](const std::string& tag) {
    Shard other;
    std::sscanf(tag.c_str(), "%d-of-%d", &other.index, &other.count);
    return (tag == tag_of(other) || tag == tag_of(other) + alone) && is_kept_out(other, shard);
  });
}

}  // namespace

std::string temporary_tag(const Shard& shard) {
  return tag_of(shard) + alone;
}

Journal::Journal(const std::string& directory, const Shard& shard, const std::string& about, const Warn& warn)
    : shard_(checked(directory, shard)),
      file_system_(directory),
      lock_(directory, shard, warn),
      file_(journal_path(directory, shard)),
      interrupted_(read_underway(underway_path(directory, shard))),
      underway_(underway_path(directory, shard)) {
  std::vector<JournalFile> journals = read_journals(directory, warn);
  clean_up(directory, shard, journals);
  tag_temporaries(tag_of(shard));
  std::int64_t last_session = 0;
  std::vector<std::string> superseded;
  for (const JournalFile& journal : journals) {
    note_interrupted(directory, journal.shard);
    last_session = std::max(last_session, journal.session);
    if (shard.count > 1 && journal.shard == shard) failures_.emplace(failures_path(directory, shard), journal.ledger);
    if (journal.shard.count == 1) continue;
    superseded.push_back(failures_path(directory, journal.shard));
    if (shard.count == 1) require_own_failures(superseded.back());
  }
  before_ = join_ledgers(std::move(journals));
  if (shard.count == 1) failures_.emplace(failures_path(directory, shard), before_, std::move(superseded));
  if (!failures_) failures_.emplace(failures_path(directory, shard), Ledger{});
  file_.append(format_session(std::min(last_session + 1, last_session_number), about));
  thread_ = std::thread([this] { write_until_stopped(); });
}

Journal::~Journal() {
  stop();
  try {
    if (!error_) underway_.remove_if_empty();
  } catch (const Error&) {
    // A failure is ignored: the next start then finds a notes file without notes.
  }
}

void Journal::plan(std::int64_t files, std::int64_t bytes, std::int64_t found) {
  file_.append(format_plan({seconds_now(), files, bytes, found}));
}

void Journal::end(const std::string& name) {
  underway_.end(name);
  const std::lock_guard guard(mutex_);
  ended_.push_back(name_hash(name));
}

void Journal::add(ImageRecord record) {
  record.reason = shortened(std::move(record.reason));
  std::unique_lock guard(mutex_);
  taken_.wait(guard, [this] { return added_.size() < most_waiting || error_; });
  if (error_) std::rethrow_exception(error_);
  added_.push_back(std::move(record));
}

void Journal::add_note(const std::string& line) {
  const std::lock_guard guard(mutex_);
  notes_ += line;
}

void Journal::note_gone(const std::string& directory) {
  add_note(format_gone(directory, seconds_now()));
}

void Journal::note_back(const std::string& directory) {
  add_note(format_back(directory));
}

void Journal::finish(bool complete) {
  stop();
  if (error_) std::rethrow_exception(error_);
  underway_.remove_if_empty();
  if (complete && shard_.count == 1) {
    // No file of the survey is left to extract, so notes of shards of other counts are removed.
    std::error_code ignored;
    for (const std::string& path : others_underway_) std::filesystem::remove(path, ignored);
  }
  file_.append(format_end(complete, shard_, images_, failed_));
}

void Journal::note_interrupted(const std::string& directory, const Shard& other) {
  if (other == shard_ || !is_kept_out(other, shard_)) return;
  const std::string path = underway_path(directory, other);
  require_own_notes(path);
  others_underway_.push_back(path);
  interrupted_.merge(read_underway(path));
}

void Journal::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Journal::write_until_stopped() {
  std::unique_lock guard(mutex_);
  for (bool last = false; !last && !error_;) {
    last = wake_.wait_for(guard, flush_interval, [this] { return stopping_; });
    const std::vector<ImageRecord> records = std::exchange(added_, {});
    const std::vector<std::uint64_t> ended = std::exchange(ended_, {});
    const std::string notes = std::exchange(notes_, {});
    guard.unlock();
    taken_.notify_all();
    std::exception_ptr error;
    try {
      write(records);
      if (!notes.empty()) file_.append(notes);
      for (const std::uint64_t hash : ended) underway_.forget(hash);
    } catch (...) {
      error = std::current_exception();
    }
    guard.lock();
    error_ = error;
    if (error_) taken_.notify_all();
  }
}

void Journal::write(const std::vector<ImageRecord>& records) {
  if (!records.empty()) {
    std::string lines = format_written(seconds_now());
    for (const ImageRecord& record : records) lines += format_record(record) + "\n";
    file_.require_in_place();
    lock_.require_in_place();
    file_system_.flush();
    file_.append(lines);
  }
  for (const ImageRecord& record : records) {
    ++images_;
    if (!record.done) ++failed_;
    failures_->note(record);
  }
  failures_->write();
}

}  // namespace srcextract
