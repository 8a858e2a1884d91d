#include "survey/journal/journal_files.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "io/files/utf8.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "survey/journal/json_values.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;
using Warn = std::function<void(const std::string&)>;

std::string journal_name(const Shard& shard) {
  return "journal" + shard_suffix(shard) + ".jsonl";
}

/// The shard whose journal has this file name, if it is a journal's name.
std::optional<Shard> shard_of(const std::string& name) {
  Shard shard;
  std::sscanf(name.c_str(), "journal.%d-of-%d.jsonl", &shard.index, &shard.count);
  return is_part(shard) && name == journal_name(shard) ? std::optional(shard) : std::nullopt;
}

/// Number of bytes of a journal that are read at a time. All threads parse the lines of a block of this size, and one
/// thread packs the records.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Calls on_lines(lines) for blocks of lines, one block after the other. Lines are without the newline; an incomplete
/// last line is left out.
template <class OnLines>
void read_lines(const std::string& path, const OnLines& on_lines) {
  std::ifstream file(path, std::ios::binary);
  std::string text;  // always begins at the beginning of a line
  while (file) {
    const std::size_t before = text.size();
    text.resize(before + block_bytes);
    file.read(text.data() + before, static_cast<std::streamsize>(block_bytes));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
    std::vector<std::string_view> lines;
    std::string_view rest = text;
    for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
      lines.push_back(rest.substr(0, end));
    if (!lines.empty()) on_lines(lines);
    text.erase(0, text.size() - rest.size());
  }
  if (file.bad() || !file.eof())
    throw Error(ErrorKind::input, "cannot read the journal " + path + "; check its rights and its disk");
}

struct SessionBegins {
  std::int64_t number = 0;
  std::string config;
  SessionProgress progress;
};
struct Written {
  std::int64_t time = 0;
};
struct DirectoryGone {
  std::string directory;
  std::int64_t time = 0;
};
struct DirectoryBack {
  std::string directory;
};
struct SessionEnds {
  bool complete = false;
  std::int64_t images = 0;  ///< number of the session's records; 0 in older journals
};
struct NoLine {};
using Line =
    std::variant<NoLine, SessionBegins, PlannedWork, DirectoryGone, DirectoryBack, Written, SessionEnds, ImageRecord>;

SessionBegins session_from(const ReadJson& json) {
  SessionBegins begins{integer_from<std::int64_t>(json.at("session"), 0, last_session_number), "", {}};
  if (!json.contains("about")) return begins;
  const ReadJson& about = json.at("about");
  begins.config = about.value("config", "");
  begins.progress.host = about.value("host", "");
  begins.progress.start = about.value("start", "");
  if (about.contains("process")) begins.progress.process = integer_from<std::int64_t>(about.at("process"), 0);
  return begins;
}

PlannedWork plan_from(const ReadJson& json) {
  const auto number = [&](const char* key) { return integer_from<std::int64_t>(json.at(key), 0); };
  return {number("time"), number("files"), number("bytes"), json.value("found", std::int64_t{0})};
}

SessionEnds end_from(const ReadJson& json) {
  const std::int64_t images = json.contains("images") ? integer_from<std::int64_t>(json.at("images"), 0) : 0;
  return {json.at("complete").get<bool>(), images};
}

DirectoryGone gone_from(const ReadJson& json) {
  return {json.at("directory").get<std::string>(), integer_from<std::int64_t>(json.at("time"), 0)};
}

constexpr std::string_view session_mark = R"({"session":)";

Line parse_line(std::string_view line) {
  try {
    if (line.starts_with(session_mark)) return session_from(ReadJson::parse(line));
    if (line.starts_with(R"({"plan":)")) return plan_from(ReadJson::parse(line).at("plan"));
    if (line.starts_with(R"({"written":)"))
      return Written{integer_from<std::int64_t>(ReadJson::parse(line).at("written"), 0)};
    if (line.starts_with(R"({"end":)")) return end_from(ReadJson::parse(line).at("end"));
    if (line.starts_with(R"({"gone":)")) return gone_from(ReadJson::parse(line).at("gone"));
    if (line.starts_with(R"({"back":)"))
      return DirectoryBack{ReadJson::parse(line).at("back").at("directory").get<std::string>()};
  } catch (const Json::exception&) {
    return NoLine{};
  } catch (const std::range_error&) {
    return NoLine{};
  }
  std::optional<ImageRecord> record = parse_record(line);
  return record ? Line(std::move(*record)) : NoLine{};
}

std::vector<Line> parse_lines(const std::vector<std::string_view>& lines) {
  std::vector<Line> parsed(lines.size());
  constexpr std::int64_t grain = 64;
  parallel_for(std::ssize(lines), grain, Cpu{available_threads()}, [&](std::int64_t begin, std::int64_t end) {
    std::transform(lines.begin() + begin, lines.begin() + end, parsed.begin() + begin, parse_line);
  });
  return parsed;
}

/// The records of one session (a run of `srcextract batch`): those in a journal after the line that begins the session.
struct Session {
  std::int64_t number = 0;
  std::size_t journal = 0;  ///< index of the journal
  std::vector<PackedRecords::Place> records;
  std::int64_t damaged = 0;  ///< damaged lines, each of which may have been a record
};

/// Records that ends of sessions count, and that are in no line.
struct LostRecords {
  std::int64_t count = 0;
  std::int64_t line = 0;   ///< line of the end that counts the first of them
  std::int64_t found = 0;  ///< most files that the sessions with lost records found

  /// Forgets the records if a later session of as many files did all of them that were left.
  void forget_if_done(const JournalFile& journal) {
    if (journal.complete && journal.found >= found) *this = {};
  }
};

void count(const ImageRecord& record, JournalFile& journal) {
  const int images = std::max(record.images, 1);
  const double files = 1.0 / images, bytes = static_cast<double>(record.bytes) / images;
  ++journal.recorded;
  journal.recorded_bytes += record.bytes / images;
  SessionProgress& progress = journal.progress;
  progress.files += files;
  progress.bytes += bytes;
  if (progress.recent.empty()) return;
  progress.recent.back().files += files;
  progress.recent.back().bytes += bytes;
}

void begin_records(std::int64_t time, std::deque<WrittenRecords>& recent) {
  while (!recent.empty() && recent.front().time < time - recent_seconds) recent.pop_front();
  recent.push_back({time});
}

/// Reads a journal: adds its sessions to `sessions` and its records to `records`, and sets the members of `journal`
/// except for the ledger and done_before.
void read_sessions(JournalFile& journal, std::size_t index, const Warn& warn, PackedRecords& records,
                   std::vector<Session>& sessions) {
  sessions.push_back({0, index, {}, 0});
  std::int64_t line = 0, damaged = 0, first_damaged = 0;
  LostRecords lost;
  const auto take = [&](Line& parsed) {
    ++line;
    if (const auto* record = std::get_if<ImageRecord>(&parsed)) {
      sessions.back().records.push_back(records.add(*record));
      count(*record, journal);
      journal.complete = false;
    } else if (const auto* begins = std::get_if<SessionBegins>(&parsed)) {
      sessions.push_back({begins->number, index, {}, 0});
      journal.session = begins->number;
      if (!journal.config.empty() && journal.config != begins->config) journal.other_config = journal.config;
      journal.config = begins->config;
      journal.progress = begins->progress;
      journal.complete = journal.ended = false;
    } else if (const auto* plan = std::get_if<PlannedWork>(&parsed)) {
      journal.progress.plan = *plan;
      journal.found = plan->found;
    } else if (const auto* gone = std::get_if<DirectoryGone>(&parsed)) {
      journal.progress.gone[gone->directory] = gone->time;
    } else if (const auto* back = std::get_if<DirectoryBack>(&parsed)) {
      journal.progress.gone.erase(back->directory);
    } else if (const auto* written = std::get_if<Written>(&parsed)) {
      begin_records(written->time, journal.progress.recent);
      journal.last_written = written->time;
    } else if (const auto* ends = std::get_if<SessionEnds>(&parsed)) {
      const Session& session = sessions.back();
      const std::int64_t missing = ends->images - std::ssize(session.records) - session.damaged;
      journal.complete = ends->complete && session.damaged == 0 && missing <= 0;
      journal.ended = true;
      journal.progress.gone.clear();
      lost.forget_if_done(journal);
      if (missing > 0) {
        if (lost.count == 0) lost.line = line;
        lost.count += missing;
        lost.found = std::max(lost.found, journal.found);
      }
    } else {
      if (++damaged == 1) first_damaged = line;
      journal.complete = false;
      ++sessions.back().damaged;
    }
  };
  read_lines(journal.path, [&](const std::vector<std::string_view>& lines) {
    std::vector<Line> parsed = parse_lines(lines);
    std::ranges::for_each(parsed, take);
  });
  if (damaged > 0)
    warn(journal.path + ":" + std::to_string(first_damaged) + ": " + std::to_string(damaged) +
         " damaged line(s), this the first, are left out; images that no other line speaks of are extracted again");
  if (lost.count > 0)
    warn(journal.path + ":" + std::to_string(lost.line) + ": lines before this one are lost: it counts " +
         counted(lost.count, "record") +
         " more than there are; start the same `srcextract batch` again, which extracts what no line speaks of");
}

/// A session of a whole survey that is complete has a record of every file that it found. If the directory has fewer,
/// lines of this session or an earlier one are lost.
void require_records_of_all(std::vector<JournalFile>& journals, const Warn& warn) {
  std::int64_t there = 0;
  for (const JournalFile& journal : journals) there += static_cast<std::int64_t>(journal.ledger.size());
  for (JournalFile& journal : journals) {
    if (journal.shard.count > 1 || !journal.complete || there >= journal.found) continue;
    journal.complete = false;
    warn(journal.path + ": lines are lost: the last run found " + counted(journal.found, "file") +
         ", and there are "
         "records of " +
         std::to_string(there) + "; start the same `srcextract batch` again, which extracts what no line speaks of");
  }
}

/// Enters the records of all sessions into the ledgers of their journals, in the order in which the sessions began. If
/// a file has newer records in another journal, the file's older records move to the ledger of that journal.
void enter(std::vector<Session>& sessions, PackedRecords& records, std::vector<JournalFile>& journals) {
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const Session& a, const Session& b) { return a.number < b.number; });
  std::unordered_map<std::string_view, std::size_t> owners;  // the keys stay valid, since packed records never move
  for (Session& session : sessions) {
    Ledger& ledger = journals[session.journal].ledger;
    for (const PackedRecords::Place place : session.records) {
      if (journals.size() > 1) {
        const std::string_view name = records.name_at(place);
        std::size_t& owner = owners.try_emplace(name, session.journal).first->second;
        if (owner != session.journal) ledger.take(journals[owner].ledger, name);
        owner = session.journal;
      }
      ledger.remember(place);
    }
  }
}

/// Sets JournalFile::done_before: for each file with a failed image, the images that any session reported as done.
void note_done_before(const std::vector<Session>& sessions, const PackedRecords& records,
                      std::vector<JournalFile>& journals) {
  std::unordered_map<std::string_view, std::set<int>*> of_file;
  for (JournalFile& journal : journals) {
    for (PackedRecords::Place first : journal.ledger.places()) {
      bool any_failed = false;
      for (PackedRecords::Place place = first; place != PackedRecords::nowhere; place = records.next_of(place))
        any_failed = any_failed || !records.at(place).done;
      const std::string_view name = records.name_at(first);
      if (any_failed) of_file.emplace(name, &journal.done_before[std::string(name)]);
    }
  }
  if (of_file.empty()) return;
  for (const Session& session : sessions) {
    for (const PackedRecords::Place place : session.records) {
      const auto file = of_file.find(records.name_at(place));
      if (file != of_file.end() && records.at(place).done) file->second->insert(records.hdu_at(place));
    }
  }
}

}  // namespace

std::string shard_suffix(const Shard& shard) {
  if (shard.count == 1) return "";
  return "." + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
}

std::string journal_path(const std::string& directory, const Shard& shard) {
  return std::filesystem::path(directory) / journal_name(shard);
}

bool holds_journal(const std::string& path) {
  bool any = false, first = true;
  read_lines(path, [&](const std::vector<std::string_view>& lines) {
    first = false;
    any = any || std::ranges::any_of(
                     lines, [](std::string_view line) { return !std::holds_alternative<NoLine>(parse_line(line)); });
  });
  if (any || !first) return any;
  std::ifstream file(path, std::ios::binary);
  std::string begin(session_mark.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return session_mark.starts_with(std::string_view(begin).substr(0, static_cast<std::size_t>(file.gcount())));
}

std::vector<JournalFile> find_journals(const std::string& directory) {
  std::vector<JournalFile> journals;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      const std::optional<Shard> shard = shard_of(entry.path().filename());
      if (shard && entry.is_regular_file())
        journals.push_back({.path = entry.path(), .shard = *shard, .ledger = {}, .config = {}});
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(ErrorKind::input, "cannot read the directory " + directory + ": " + error.code().message() +
                                      "; name the one that srcextract batch wrote into");
  }
  std::sort(journals.begin(), journals.end(), [](const JournalFile& a, const JournalFile& b) {
    return std::tie(a.shard.count, a.shard.index) < std::tie(b.shard.count, b.shard.index);
  });
  return journals;
}

std::vector<JournalFile> read_journals(const std::string& directory, const Warn& warn) {
  std::vector<JournalFile> journals = find_journals(directory);
  std::vector<Session> sessions;
  const auto records = std::make_shared<PackedRecords>();
  for (std::size_t i = 0; i < journals.size(); ++i) {
    journals[i].ledger = Ledger(records);
    read_sessions(journals[i], i, warn, *records, sessions);
  }
  enter(sessions, *records, journals);
  note_done_before(sessions, *records, journals);
  require_records_of_all(journals, warn);
  return journals;
}

Ledger join_ledgers(std::vector<JournalFile> journals) {
  if (journals.empty()) return {};
  Ledger all = std::move(journals.front().ledger);
  for (JournalFile& journal : std::span(journals).subspan(1)) {
    if (journal.ledger.records() == all.records()) {
      for (const PackedRecords::Place place : journal.ledger.places())
        all.take(journal.ledger, all.records()->name_at(place));
      continue;
    }
    for (const auto& [name, images] : journal.ledger) {
      for (const auto& [hdu, record] : images) all.remember(record);
    }
  }
  return all;
}

std::string format_session(std::int64_t session, const std::string& about) {
  return "{\"session\":" + std::to_string(session) + ",\"about\":" + about + "}\n";
}

std::string format_plan(const PlannedWork& plan) {
  const Json json = {{"time", plan.time}, {"files", plan.files}, {"bytes", plan.bytes}, {"found", plan.found}};
  return Json{{"plan", json}}.dump() + "\n";
}

std::string format_gone(const std::string& directory, std::int64_t time) {
  return Json{{"gone", {{"time", time}, {"directory", as_utf8(directory)}}}}.dump() + "\n";
}

std::string format_back(const std::string& directory) {
  return Json{{"back", {{"directory", as_utf8(directory)}}}}.dump() + "\n";
}

std::string format_written(std::int64_t time) {
  return Json{{"written", time}}.dump() + "\n";
}

std::string format_end(bool complete, const Shard& shard, std::int64_t images, std::int64_t failures) {
  const Json end = {{"complete", complete}, {"shard", shard_text(shard)}, {"images", images}, {"failures", failures}};
  return Json{{"end", end}}.dump() + "\n";
}

}  // namespace srcextract
