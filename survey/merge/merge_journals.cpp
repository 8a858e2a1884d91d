#include "survey/merge/merge_journals.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "survey/journal/journal_files.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;

/// A record that may become the record of an image in the merged survey, and where it is stored.
struct Candidate {
  SurveyImage image;
  std::uint32_t source = 0;
  PackedRecords::Place place = PackedRecords::nowhere;
};

/// The candidates for the images of a file, by HDU. -1 stands for the only image of a file, or for the file as a whole,
/// as in a Ledger.
using Candidates = std::map<int, Candidate>;

[[noreturn]] void fail(ErrorKind kind, const std::string& message) {
  throw Error(kind, message);
}

// --- Are all shards finished? ---------------------------------------------------------------------------------------

std::string describe_unfinished(const JournalFile& journal) {
  std::int64_t done = 0, failed = 0;
  for (const auto& [name, images] : journal.ledger) {
    for (const auto& [hdu, record] : images) ++(record.done ? done : failed);
  }
  const std::string what = journal.shard.count == 1 ? "the run" : "shard " + shard_text(journal.shard);
  return journal.path + ": " + what + " has not finished (images so far: " + std::to_string(done) + " done, " +
         std::to_string(failed) + " failed)";
}

/// The journals of a directory's current division into shards, that of the latest session. Journals of earlier
/// divisions may be incomplete.
std::vector<const JournalFile*> up_to_date(const std::vector<JournalFile>& journals) {
  const auto last = std::ranges::max_element(journals, {}, &JournalFile::session);
  std::vector<const JournalFile*> current;
  for (const JournalFile& journal : journals) {
    if (journal.shard.count == last->shard.count) current.push_back(&journal);
  }
  return current;
}

/// For each number of shards that a directory was divided into, a sentence about the shards that have no journal in any
/// directory. Only the first few are named, since a single journal's name may imply a million shards.
std::vector<std::string> describe_missing(const std::vector<const JournalFile*>& journals) {
  std::map<int, std::set<int>> shards;
  for (const JournalFile* journal : journals) shards[journal->shard.count].insert(journal->shard.index);
  std::vector<std::string> problems;
  for (const auto& [count, there] : shards) {
    std::vector<int> missing;
    for (int index = 1; index <= count; ++index)
      if (!there.contains(index)) missing.push_back(index);
    if (missing.empty()) continue;
    const bool one = missing.size() == 1;
    const std::string all = first_few(missing.size(), [&, count = count](std::size_t i) {
      return shard_text({missing[i], count});
    });
    problems.push_back(
        (one ? "shard " : "shards ") + all +
        (one ? " is missing: no directory has its journal" : " are missing: no directory has their journals"));
  }
  return problems;
}

/// Returns a sentence for each survey whose journals have records of fewer files than one of its shards found. Shards
/// that find different files divide the files in different ways, so that a file may be in no shard. The shards of a
/// directory are a survey if the directory has all of them. The shards of the other directories are one survey for each
/// number of shards.
std::vector<std::string> describe_left_out(const std::vector<std::vector<JournalFile>>& of_directory) {
  struct Survey {
    std::int64_t there = 0;
    const JournalFile* largest = nullptr;
  };
  std::map<std::pair<int, std::size_t>, Survey> surveys;  // by count of shards, and directory
  for (std::size_t directory = 0; directory < of_directory.size(); ++directory) {
    const std::vector<const JournalFile*> journals = up_to_date(of_directory[directory]);
    const int count = journals.front()->shard.count;
    const bool has_all = std::ssize(journals) == count;
    Survey& survey = surveys[{count, has_all ? directory : of_directory.size()}];
    for (const JournalFile& journal : of_directory[directory])
      survey.there += static_cast<std::int64_t>(journal.ledger.size());
    for (const JournalFile* journal : journals)
      if (!survey.largest || journal->found > survey.largest->found) survey.largest = journal;
  }
  std::vector<std::string> problems;
  for (const auto& [key, survey] : surveys) {
    if (key.first == 1 || survey.there >= survey.largest->found) continue;
    problems.push_back(survey.largest->path + ": shard " + shard_text(survey.largest->shard) + " found " +
                       counted(survey.largest->found, "file") + ", and all shards have " +
                       std::to_string(survey.there) +
                       ": others found fewer, or of other sizes, and some are in no shard");
  }
  return problems;
}

void require_finished(const std::vector<std::vector<JournalFile>>& of_directory, bool partial,
                      const std::function<void(const std::string&)>& warn) {
  std::vector<const JournalFile*> journals;
  for (const std::vector<JournalFile>& all : of_directory) {
    const std::vector<const JournalFile*> current = up_to_date(all);
    journals.insert(journals.end(), current.begin(), current.end());
  }
  std::vector<std::string> problems = describe_missing(journals);
  for (const JournalFile* journal : journals) {
    if (!journal->complete) problems.push_back(describe_unfinished(*journal));
  }
  if (problems.empty()) problems = describe_left_out(of_directory);
  if (problems.empty()) return;
  if (partial) {
    for (const std::string& problem : problems) warn(problem);
    return;
  }
  std::string all;
  for (const std::string& problem : problems) all += (all.empty() ? "" : "; ") + problem;
  fail(ErrorKind::input,
       all +
           "; start the same `srcextract batch` again, which goes on where it ended, or name all directories of the "
           "survey, or merge what there is with --partial");
}

// --- Do all journals have one configuration? ------------------------------------------------------------------------

/// Converts the text of dump_config() (sections, and keys indented by two blanks) to pairs such as
/// "detection.threshold" -> "5.0".
std::map<std::string, std::string> settings_of(const std::string& yaml) {
  std::map<std::string, std::string> settings;
  std::istringstream lines(yaml);
  std::string section, key;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t colon = line.find(':');
    if (indent == 0) {
      section = line.substr(0, colon);
    } else if (indent == 2 && colon != std::string::npos && line[indent] != '-') {
      key = section + "." + line.substr(indent, colon - indent);
      settings[key] = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
    } else {
      settings[key] += " " + line.substr(indent);
    }
  }
  return settings;
}

/// Lists the keys whose values differ, as "detection.threshold (5.0 and 3.0)". Keys that only one text has are ignored:
/// they are of different program versions.
std::string describe_changes(const std::string& a, const std::string& b) {
  const std::map<std::string, std::string> before = settings_of(a), after = settings_of(b);
  std::string changes;
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    if (other == after.end() || other->second == value) continue;
    changes += (changes.empty() ? "" : ", ") + key + " (" + value + " and " + other->second + ")";
  }
  return changes;
}

/// Throws Error{config} if journals have different configurations. Values that manifests set for single images are not
/// part of these configurations.
void require_one_configuration(const std::vector<std::vector<JournalFile>>& of_directory) {
  const JournalFile* first = nullptr;
  for (const std::vector<JournalFile>& all : of_directory) {
    for (const JournalFile* journal : up_to_date(all)) {
      if (journal->config.empty()) continue;
      if (!first) first = journal;
      const std::string changes = describe_changes(first->config, journal->config);
      if (changes.empty()) continue;
      fail(ErrorKind::config, first->path + " and " + journal->path + " were made with different configurations: " +
                                  changes + "; they are not of one survey: run `srcextract batch` again with one " +
                                  "configuration, and give images settings of their own in a manifest");
    }
  }
}

/// Warns if images of one directory were extracted with different configurations, because a key was changed and not all
/// INPUTs were given again.
void warn_of_configurations(const std::vector<std::vector<JournalFile>>& of_directory, const SurveyImages& images,
                            const std::function<void(const std::string&)>& warn) {
  std::set<std::string> hashes;
  for (const SurveyImage& image : images)
    if (image.record.done) hashes.insert(image.record.config);
  if (hashes.size() < 2) return;
  for (const std::vector<JournalFile>& journals : of_directory) {
    for (const JournalFile& journal : journals) {
      const std::string changes = describe_changes(journal.other_config, journal.config);
      if (changes.empty()) continue;
      return warn(journal.path + ": images may have been extracted with different configurations: " + changes +
                  "; the column CONFIG of IMAGES tells them apart");
    }
  }
}

// --- Records of one image in several journals -----------------------------------------------------------------------

auto identity(const ImageRecord& record) {
  return std::tie(record.config, record.bytes, record.datasum, record.sources);
}

std::string describe_difference(const ImageRecord& a, const ImageRecord& b) {
  if (a.config != b.config) return "with different configurations (" + a.config + " and " + b.config + ")";
  if (a.bytes != b.bytes || a.datasum != b.datasum) return "from files of different contents";
  return "with different results (" + std::to_string(a.sources) + " and " + std::to_string(b.sources) + " sources)";
}

[[noreturn]] void fail_on_difference(const SurveyImage& a, const SurveyImage& b,
                                     const std::vector<std::string>& directories) {
  fail(ErrorKind::config, image_label(a.record) + " of " + directories[a.directory] + " and " + image_label(b.record) +
                              " of " + directories[b.directory] + " were extracted " +
                              describe_difference(a.record, b.record) +
                              ": they are not of one survey; merge directories of one, or extract it again");
}

/// Sets `kept` to the better of two records of an image: a done record is better than a failed one. Of equal records,
/// the order of reason, configuration, size and directory name decides, so that the result does not depend on the order
/// of arguments. Throws Error{config} if both are done with different results.
void keep_better(Candidate& kept, Candidate other, const std::vector<std::string>& directories) {
  const ImageRecord &a = kept.image.record, &b = other.image.record;
  if (a.done && b.done && identity(a) != identity(b)) fail_on_difference(kept.image, other.image, directories);
  const auto rank = [&](const SurveyImage& image) {
    const ImageRecord& r = image.record;
    return std::tie(r.reason, r.config, r.bytes, directories[image.directory]);
  };
  const bool better = a.done != b.done ? b.done : rank(other.image) < rank(kept.image);
  if (better) kept = std::move(other);
}

/// Makes the records of a file's images consistent. A failure of the whole file in one journal is dropped if other
/// journals have all of its images as done: the file was only temporarily unreadable. Throws Error{config} if the
/// file's done images have different configurations, file sizes or numbers of images.
void settle_file(Candidates& images, const std::vector<std::string>& directories) {
  const SurveyImage* first = nullptr;
  std::int64_t done = 0;
  for (const auto& [hdu, candidate] : images) {
    const SurveyImage& image = candidate.image;
    if (!image.record.done) continue;
    ++done;
    if (!first) first = &image;
    const ImageRecord &a = first->record, &b = image.record;
    if (std::tie(a.config, a.bytes, a.images) != std::tie(b.config, b.bytes, b.images))
      fail_on_difference(*first, image, directories);
  }
  const auto whole = images.find(-1);
  if (whole != images.end() && !whole->second.image.record.done && first && done >= first->record.images)
    images.erase(whole);
}

/// The place of a file's first record, and the ledger that contains it.
struct KnownFile {
  PackedRecords::Place place;
  std::uint32_t ledger;
};

/// Joins the images of all ledgers, so that each image appears once; keep_better() decides between records of one
/// image.
class Joining {
 public:
  explicit Joining(const std::vector<std::string>& directories) : directories_(directories) {}

  void add(const Ledger& ledger, std::size_t directory) {
    const std::uint32_t number = images_.add(ledger.records(), directory);
    records_.push_back(ledger.records().get());
    directory_of_.push_back(directory);
    for (const PackedRecords::Place place : ledger.places()) files_.push_back({place, number});
  }

  SurveyImages result() {
    const auto name = [&](const KnownFile& file) { return records_[file.ledger]->name_at(file.place); };
    std::ranges::sort(files_, [&](const KnownFile& a, const KnownFile& b) {
      const int order = name(a).compare(name(b));
      return order != 0 ? order < 0 : a.ledger < b.ledger;
    });
    for (auto begin = files_.begin(), end = begin; begin != files_.end(); begin = end) {
      end = std::find_if(begin, files_.end(), [&](const KnownFile& file) { return name(file) != name(*begin); });
      Candidates images;
      for (auto file = begin; file != end; ++file) add(*file, images);
      settle_file(images, directories_);
      for (const auto& [hdu, image] : images)
        if (image.image.record.images > 0) images_.add(image.source, image.place);
    }
    return std::move(images_);
  }

 private:
  void add(const KnownFile& file, Candidates& images) const {
    const PackedRecords& records = *records_[file.ledger];
    for (PackedRecords::Place place = file.place; place != PackedRecords::nowhere; place = records.next_of(place)) {
      Candidate image{{records.at(place), directory_of_[file.ledger]}, file.ledger, place};
      const auto there = images.find(records.hdu_at(place));
      if (there == images.end()) {
        images.emplace(records.hdu_at(place), std::move(image));
      } else {
        keep_better(there->second, std::move(image), directories_);
      }
    }
  }

  const std::vector<std::string>& directories_;
  std::vector<const PackedRecords*> records_;
  std::vector<std::size_t> directory_of_;
  std::vector<KnownFile> files_;
  SurveyImages images_;
};

std::vector<JournalFile> journals_in(const std::string& directory,
                                     const std::function<void(const std::string&)>& warn) {
  std::error_code unknown;
  if (!fs::is_directory(directory, unknown))
    fail(ErrorKind::config, directory + ": there is no such directory; name those that `srcextract batch` wrote into");
  std::vector<JournalFile> journals = read_journals(directory, warn);
  if (journals.empty())
    fail(ErrorKind::config, directory +
                                ": `srcextract batch` did not write into this directory: there is no "
                                "journal.jsonl, nor one of a shard; name the directory given to its -o");
  return journals;
}

/// Counts the images that failed after they had been done. If a file failed as a whole, all its images that had been
/// done count.
Lost lost_of(const SurveyImages& images, const std::vector<std::vector<JournalFile>>& of_directory) {
  std::map<std::string, std::set<int>> done_before;
  for (const std::vector<JournalFile>& journals : of_directory)
    for (const JournalFile& journal : journals)
      for (const auto& [name, hdus] : journal.done_before) done_before[name].insert(hdus.begin(), hdus.end());
  Lost lost;
  for (const auto& [record, directory] : images) {
    const auto before = done_before.find(record.name);
    lost.of += record.done;
    if (record.done || before == done_before.end()) continue;
    const std::set<int>& hdus = before->second;
    const bool was_done = record.hdu && (hdus.contains(*record.hdu) || hdus.contains(-1));
    const std::int64_t failed = record.hdu ? was_done : std::ssize(hdus);
    if (failed > 0 && lost.images == 0) lost.first = image_label(record) + ": " + record.reason;
    lost.images += failed;
    lost.of += failed;
  }
  return lost;
}

}  // namespace

SurveyImages join_journals(const std::vector<std::string>& directories, bool partial, Lost& lost,
                           const std::function<void(const std::string&)>& warn) {
  std::vector<std::vector<JournalFile>> journals;
  for (const std::string& directory : directories) journals.push_back(journals_in(directory, warn));
  require_one_configuration(journals);
  require_finished(journals, partial, warn);
  Joining joining(directories);
  for (std::size_t directory = 0; directory < directories.size(); ++directory) {
    for (JournalFile& journal : journals[directory]) {
      joining.add(journal.ledger, directory);
      journal.ledger = Ledger(journal.ledger.records());
    }
  }
  SurveyImages images = joining.result();
  warn_of_configurations(journals, images, warn);
  lost = lost_of(images, journals);
  return images;
}

}  // namespace srcextract
