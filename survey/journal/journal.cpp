#include "survey/journal/journal.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "io/files/appended_file.hpp"
#include "io/files/output_file.hpp"
#include "io/files/temporary_names.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/failures.hpp"
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

/// The implementation of Journal. add() appends records to a vector, and a thread writes them to the file once a
/// second.
class Journal::Writer {
 public:
  Writer(const std::string& directory, const Shard& shard, const std::string& about, const Warn& warn)
      : file_system_(directory),
        shard_(shard),
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

  ~Writer() {
    stop();
    try {
      if (!error_) underway_.remove_if_empty();
    } catch (const Error&) {
      // A failure is ignored: the next start then finds a notes file without notes.
    }
  }

  Ledger take_before() { return std::move(before_); }

  void plan(std::int64_t files, std::int64_t bytes) { file_.append(format_plan({seconds_now(), files, bytes})); }

  const UnderwayNotes& interrupted() const { return interrupted_; }

  void begin(const std::string& name, int trials) { underway_.begin(name, trials); }

  void end(const std::string& name) {
    underway_.end(name);
    const std::lock_guard guard(mutex_);
    ended_.push_back(name_hash(name));
  }

  void forget(std::uint64_t hash) { underway_.forget(hash); }

  void add(ImageRecord record) {
    record.reason = shortened(std::move(record.reason));
    std::unique_lock guard(mutex_);
    taken_.wait(guard, [this] { return added_.size() < most_waiting || error_; });
    if (error_) std::rethrow_exception(error_);
    added_.push_back(std::move(record));
  }

  void finish(bool complete) {
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

 private:
  /// Reads the notes of files under way of a shard of another count. The lock guarantees that no process is working on
  /// that shard.
  void note_interrupted(const std::string& directory, const Shard& other) {
    if (other == shard_ || !is_kept_out(other, shard_)) return;
    const std::string path = underway_path(directory, other);
    require_own_notes(path);
    others_underway_.push_back(path);
    interrupted_.merge(read_underway(path));
  }

  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard guard(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void write_until_stopped() {
    std::unique_lock guard(mutex_);
    for (bool last = false; !last && !error_;) {
      last = wake_.wait_for(guard, flush_interval, [this] { return stopping_; });
      const std::vector<ImageRecord> records = std::exchange(added_, {});
      const std::vector<std::uint64_t> ended = std::exchange(ended_, {});
      guard.unlock();
      taken_.notify_all();
      std::exception_ptr error;
      try {
        write(records);
        for (const std::uint64_t hash : ended) underway_.forget(hash);
      } catch (...) {
        error = std::current_exception();
      }
      guard.lock();
      error_ = error;
      if (error_) taken_.notify_all();
    }
  }

  void write(const std::vector<ImageRecord>& records) {
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

  FileSystem file_system_;
  const Shard shard_;
  DirectoryLock lock_;
  AppendedFile file_;
  Ledger before_;
  UnderwayNotes interrupted_;
  std::vector<std::string> others_underway_;
  Underway underway_;

  // Only the writing thread uses these, until it ends.
  std::optional<Failures> failures_;
  std::int64_t images_ = 0, failed_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_, taken_;
  std::vector<ImageRecord> added_;
  std::vector<std::uint64_t> ended_;  ///< name hashes of files whose records are all in `added_` or on disk; their
                                      ///< notes are removed after the next write
  std::exception_ptr error_;
  bool stopping_ = false;
  std::thread thread_;
};

std::string temporary_tag(const Shard& shard) {
  return tag_of(shard) + alone;
}

Journal::Journal(const std::string& directory, const Shard& shard, const std::string& about, const Warn& warn) {
  require_own_files(directory, shard);
  writer_ = std::make_unique<Writer>(directory, shard, about, warn);
}

Journal::~Journal() = default;

Ledger Journal::take_before() {
  return writer_->take_before();
}

void Journal::plan(std::int64_t files, std::int64_t bytes) {
  writer_->plan(files, bytes);
}

const UnderwayNotes& Journal::interrupted() const {
  return writer_->interrupted();
}

void Journal::begin(const std::string& name, int trials) {
  writer_->begin(name, trials);
}

void Journal::end(const std::string& name) {
  writer_->end(name);
}

void Journal::forget(std::uint64_t name_hash) {
  writer_->forget(name_hash);
}

void Journal::add(ImageRecord record) {
  writer_->add(std::move(record));
}

void Journal::finish(bool complete) {
  writer_->finish(complete);
}

}  // namespace srcextract
