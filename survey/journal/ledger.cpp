#include "survey/journal/ledger.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "survey/journal/json_values.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;
using ReadJson = nlohmann::json;  // finds one of many keys at once
using Warn = std::function<void(const std::string&)>;

bool same_origin(const ImageRecord& a, const ImageRecord& b) {
  const auto origin = [](const ImageRecord& record) {
    return std::tie(record.bytes, record.modified, record.images, record.config, record.program);
  };
  return origin(a) == origin(b);
}

std::string journal_name(const Shard& shard) {
  return "journal" + shard_suffix(shard) + ".jsonl";
}

/// The shard whose journal has this name.
std::optional<Shard> shard_of(const std::string& name) {
  Shard shard;
  std::sscanf(name.c_str(), "journal.%d-of-%d.jsonl", &shard.index, &shard.count);
  return is_part(shard) && name == journal_name(shard) ? std::optional(shard) : std::nullopt;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::string text(file ? static_cast<std::size_t>(file.tellg()) : 0, '\0');
  file.seekg(0);
  file.read(text.data(), std::ssize(text));
  text.resize(static_cast<std::size_t>(file.gcount()));  // its writer may have cut off a torn line meanwhile
  if (file.bad() || (!file && !file.eof()))
    throw Error(ErrorKind::input, "cannot read the journal " + path + "; check its rights and its disk");
  return text;
}

/// Without their ends; a last one that has none is none.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  return lines;
}

struct SessionBegins {
  std::int64_t number = 0;
  std::string config;
};
struct SessionEnds {
  bool complete = false;
};
struct NoLine {};
using Line = std::variant<NoLine, SessionBegins, SessionEnds, ImageRecord>;

SessionBegins session_from(const ReadJson& json) {
  SessionBegins begins{integer_from<std::int64_t>(json.at("session"), 0, last_session_number), ""};
  if (json.contains("about")) begins.config = json.at("about").value("config", "");
  return begins;
}

Line parse_line(std::string_view line) {
  try {
    if (line.starts_with(R"({"session":)")) return session_from(ReadJson::parse(line));
    if (line.starts_with(R"({"end":)")) return SessionEnds{ReadJson::parse(line).at("end").at("complete").get<bool>()};
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
  constexpr std::int64_t grain = 256;
  parallel_for(std::ssize(lines), grain, Cpu{available_threads()}, [&](std::int64_t begin, std::int64_t end) {
    std::transform(lines.begin() + begin, lines.begin() + end, parsed.begin() + begin, parse_line);
  });
  return parsed;
}

/// What was recorded between two beginnings of sessions of one journal.
struct Session {
  std::int64_t number = 0;
  std::size_t journal = 0;  ///< index
  std::vector<ImageRecord> records;
};

/// Adds the sessions of the journal, and sets its state but for the ledger.
void read_sessions(JournalFile& journal, std::size_t index, const Warn& warn, std::vector<Session>& sessions) {
  const std::string text = read_text(journal.path);
  std::vector<Line> lines = parse_lines(lines_of(text));
  sessions.push_back({0, index, {}});
  std::int64_t damaged = 0, first_damaged = 0;
  bool damaged_session = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto* record = std::get_if<ImageRecord>(&lines[i])) {
      sessions.back().records.push_back(std::move(*record));
      journal.complete = false;
    } else if (const auto* begins = std::get_if<SessionBegins>(&lines[i])) {
      sessions.push_back({begins->number, index, {}});
      journal.session = begins->number;
      journal.config = begins->config;
      journal.complete = journal.ended = damaged_session = false;
    } else if (const auto* ends = std::get_if<SessionEnds>(&lines[i])) {
      journal.complete = ends->complete && !damaged_session;
      journal.ended = true;
    } else {
      if (++damaged == 1) first_damaged = static_cast<std::int64_t>(i) + 1;
      journal.complete = false;
      damaged_session = true;
    }
  }
  if (damaged > 0)
    warn(journal.path + ":" + std::to_string(first_damaged) + ": " + std::to_string(damaged) +
         " damaged line(s), this the first, are left out; images that no other line speaks of are extracted again");
}

/// Enters the records of all sessions in the order in which those began, each in the ledger of its journal. What
/// another journal said of the same file goes with it.
void enter(std::vector<Session> sessions, std::vector<JournalFile>& journals) {
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const Session& a, const Session& b) { return a.number < b.number; });
  std::unordered_map<std::string, std::size_t> owners;
  for (Session& session : sessions) {
    Ledger& ledger = journals[session.journal].ledger;
    for (ImageRecord& record : session.records) {
      if (journals.size() > 1) {
        std::size_t& owner = owners.try_emplace(record.name, session.journal).first->second;
        if (owner != session.journal) ledger.insert(journals[owner].ledger.extract(record.name));
        owner = session.journal;
      }
      remember(ledger, std::move(record));
    }
    session.records = {};
  }
}

}  // namespace

void remember(Ledger& ledger, ImageRecord record) {
  std::map<int, ImageRecord>& images = ledger[record.name];
  if (!images.empty() && !same_origin(images.begin()->second, record)) images.clear();
  images.insert_or_assign(record.hdu.value_or(-1), std::move(record));
}

std::string shard_suffix(const Shard& shard) {
  if (shard.count == 1) return "";
  return "." + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
}

std::string journal_path(const std::string& directory, const Shard& shard) {
  return std::filesystem::path(directory) / journal_name(shard);
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
  for (std::size_t i = 0; i < journals.size(); ++i) read_sessions(journals[i], i, warn, sessions);
  enter(std::move(sessions), journals);
  return journals;
}

Ledger join_ledgers(std::vector<JournalFile> journals) {
  Ledger all;
  for (JournalFile& journal : journals) all.merge(journal.ledger);
  return all;
}

std::string format_session(std::int64_t session, const std::string& about) {
  return "{\"session\":" + std::to_string(session) + ",\"about\":" + about + "}\n";
}

std::string format_end(bool complete, const Shard& shard, std::int64_t images, std::int64_t failures) {
  const Json end = {{"complete", complete}, {"shard", shard_text(shard)}, {"images", images}, {"failures", failures}};
  return Json{{"end", end}}.dump() + "\n";
}

}  // namespace srcextract
