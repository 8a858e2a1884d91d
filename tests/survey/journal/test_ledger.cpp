#include "survey/journal/journal_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using ::testing::ElementsAre;
using testing::failed_record;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::of_hdu;
using testing::TemporaryFolder;

std::string line_of(const ImageRecord& record) {
  return format_record(record) + "\n";
}

std::vector<std::string> names_in(const Ledger& ledger) {
  std::vector<std::string> names;
  for (const auto& [name, images] : ledger)
    for (const auto& [hdu, record] : images) names.push_back(image_label(record));
  return names;
}

/// The journals of a directory, which must give no reason to warn.
std::vector<JournalFile> read_quietly(const TemporaryFolder& directory) {
  return read_journals(directory.string(), [](const std::string& warning) { ADD_FAILURE() << warning; });
}

const std::string complete_end = R"({"end":{"complete":true,"shard":"1/1","images":1,"failures":0}})"
                                 "\n";

TEST(LedgerTest, TheLastWordOnAnImageCounts) {
  Ledger ledger;
  ledger.remember(failed_record("a", "why"));
  ledger.remember(done_record("a"));
  EXPECT_EQ(ledger.images_of("a").at(-1), done_record("a"));
  ledger.remember(failed_record("a", "why not"));
  EXPECT_EQ(ledger.images_of("a").at(-1).reason, "why not");
  EXPECT_EQ(ledger.size(), 1u);
}

TEST(LedgerTest, ImagesOfAFileStandBesideEachOther) {
  Ledger ledger;
  ledger.remember(of_hdu(done_record("a"), 3, 2));
  ledger.remember(of_hdu(failed_record("a", "why"), 1, 2));
  EXPECT_THAT(names_in(ledger), ElementsAre("a[1]", "a[3]"));
}

TEST(LedgerTest, WhatWasSaidOfAnotherVersionOfTheFileNoLongerCounts) {
  std::vector<ImageRecord> others(5, done_record("a"));
  others[0].bytes = 5760;
  others[1].modified += 1;
  others[2].config = "c2";
  others[3].program = "1.1";  // others[4]: the file as a whole
  for (const ImageRecord& other : others) {
    Ledger ledger;
    ledger.remember(of_hdu(done_record("a"), 1, 2));
    ledger.remember(of_hdu(done_record("a"), 2, 2));
    ledger.remember(other);
    EXPECT_THAT(names_in(ledger), ElementsAre("a"));
    ledger.remember(of_hdu(done_record("a"), 2, 2));
    EXPECT_THAT(names_in(ledger), ElementsAre("a[2]"));
  }
}

/// Names come and go at random, between two ledgers, as in the standard library's sets.
TEST(LedgerTest, ManyFilesComeAndGo) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    Ledger ledger, other(ledger.records());
    std::set<std::string> here, there;
    for (int round = 0; round < 20'000; ++round) {
      const std::string name = "n" + std::to_string(random() % 1500);
      switch (random() % 4) {
        case 0:
          ledger.forget(name, -1);
          here.erase(name);
          break;
        case 1:
          other.take(ledger, name);
          if (here.erase(name) > 0) there.insert(name);
          break;
        case 2:
          ledger.take(other, name);
          if (there.erase(name) > 0) here.insert(name);
          break;
        default:
          ledger.remember(done_record(name));
          here.insert(name);
      }
      ASSERT_EQ(ledger.contains(name), here.contains(name));
      ASSERT_EQ(other.contains(name), there.contains(name));
    }
    EXPECT_EQ(names_in(ledger), std::vector<std::string>(here.begin(), here.end()));
    EXPECT_EQ(names_in(other), std::vector<std::string>(there.begin(), there.end()));
    EXPECT_EQ(ledger.size(), here.size());
  }
}

TEST(LedgerTest, ReadsEveryJournalAndNothingElse) {
  TemporaryFolder directory;
  directory.write("journal.jsonl", format_session(1, "{}") + line_of(done_record("w")) + complete_end);
  directory.write("journal.2-of-10.jsonl", format_session(2, "{}") + line_of(done_record("x")));
  directory.write("journal.10-of-10.jsonl", format_session(3, "{}"));
  for (const char* name : {"journal.1-of-1.jsonl", "journal.02-of-10.jsonl", "journal.2-of-10.jsonl~", "journal.lock",
                           "failures.csv", "journal.-1-of-2.json"})
    directory.write(name, "no journal");
  const std::vector<JournalFile> journals = read_quietly(directory);
  ASSERT_EQ(journals.size(), 3u);
  EXPECT_EQ(journals[0].path, directory / "journal.jsonl");
  EXPECT_EQ(journals[0].shard, (Shard{1, 1}));
  EXPECT_EQ(journals[1].shard, (Shard{2, 10}));
  EXPECT_EQ(journals[2].shard, (Shard{10, 10}));
  EXPECT_TRUE(journals[0].complete);
  EXPECT_FALSE(journals[1].complete);
  EXPECT_TRUE(journals[0].ended);
  EXPECT_FALSE(journals[1].ended);
  EXPECT_EQ(journals[2].session, 3);
  EXPECT_THAT(names_in(journals[0].ledger), ElementsAre("w"));
  EXPECT_THAT(names_in(join_ledgers(journals)), ElementsAre("w", "x"));
}

TEST(LedgerTest, NoJournalsAreNone) {
  TemporaryFolder directory;
  EXPECT_THAT(read_quietly(directory), IsEmpty());
}

TEST(LedgerTest, ADirectoryThatIsNotThereSaysSo) {
  TemporaryFolder directory;
  try {
    read_journals(directory / "gone", [](const std::string&) {});
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(directory / "gone: No such file or directory"));
  }
}

TEST(LedgerTest, ALastLineTornAnywhereIsLeftOut) {
  TemporaryFolder directory;
  const std::string lines[] = {format_session(1, "{}"), line_of(done_record("a")), line_of(failed_record("b", "why")),
                               complete_end};
  const std::string text = lines[0] + lines[1] + lines[2] + lines[3];
  for (std::size_t size = 0; size <= text.size(); ++size) {
    directory.write("journal.jsonl", text.substr(0, size));
    const JournalFile journal = read_quietly(directory).at(0);
    std::vector<std::string> names;
    if (size >= (lines[0] + lines[1]).size()) names.emplace_back("a");
    if (size >= (lines[0] + lines[1] + lines[2]).size()) names.emplace_back("b");
    ASSERT_EQ(names_in(journal.ledger), names) << size;
    ASSERT_EQ(journal.complete, size == text.size()) << size;
    ASSERT_EQ(journal.session, size >= lines[0].size() ? 1 : 0) << size;
  }
}

TEST(LedgerTest, ADamagedLineIsWarnedOfAndItsSessionIsNotComplete) {
  TemporaryFolder directory;
  const std::string zeros(100, '\0');
  directory.write("journal.jsonl", format_session(1, "{}") + line_of(done_record("a")) + zeros + "\n{\"image\":\"b\n" +
                                       line_of(done_record("c")) + complete_end);
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
  const JournalFile damaged = read_journals(directory.string(), warn).at(0);
  EXPECT_THAT(names_in(damaged.ledger), ElementsAre("a", "c"));
  EXPECT_FALSE(damaged.complete);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr((directory / "journal.jsonl:3: 2 damaged"))));

  std::ofstream(directory / "journal.jsonl", std::ios::app)
      << format_session(2, "{}") << line_of(done_record("b")) << complete_end;
  const JournalFile mended = read_journals(directory.string(), warn).at(0);
  EXPECT_THAT(names_in(mended.ledger), ElementsAre("a", "b", "c"));
  EXPECT_TRUE(mended.complete);
}

TEST(LedgerTest, ASessionOfANumberThatNoneHasIsADamagedLine) {
  for (const char* number : {"-1", "9007199254740992", "9223372036854775807"}) {
    TemporaryFolder directory;
    directory.write("journal.jsonl",
                    format_session(1, "{}") + R"({"session":)" + number + ",\"about\":{}}\n" + complete_end);
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
    const JournalFile journal = read_journals(directory.string(), warn).at(0);
    EXPECT_EQ(journal.session, 1) << number;
    EXPECT_FALSE(journal.complete) << number;
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("journal.jsonl:2: 1 damaged")));
  }
}

TEST(LedgerTest, ASessionWithoutItsEndIsNotComplete) {
  TemporaryFolder directory;
  const std::string first = format_session(1, "{}") + line_of(done_record("a")) + complete_end;
  directory.write("journal.jsonl", first + format_session(2, "{}"));
  EXPECT_FALSE(read_quietly(directory).at(0).complete);
  directory.write("journal.jsonl", first + format_session(2, "{}") + format_end(false, {}, 0, 0));
  EXPECT_FALSE(read_quietly(directory).at(0).complete);
  directory.write("journal.jsonl", first + format_session(2, "{}") + format_end(true, {}, 0, 0));
  EXPECT_TRUE(read_quietly(directory).at(0).complete);
}

TEST(LedgerTest, OfSeveralJournalsTheOneThatSpokeLastOfAFileHasIt) {
  TemporaryFolder directory;
  ImageRecord changed = done_record("a");
  changed.bytes = 5760;
  directory.write("journal.jsonl", format_session(1, "{}") + line_of(done_record("a")) +
                                       line_of(failed_record("b", "why")) + line_of(of_hdu(done_record("m"), 1, 2)) +
                                       format_session(3, "{}") + line_of(failed_record("c", "why")));
  directory.write("journal.1-of-2.jsonl", format_session(2, "{}") + line_of(changed) + line_of(done_record("c")) +
                                              line_of(of_hdu(done_record("m"), 2, 2)));
  const std::vector<JournalFile> journals = read_quietly(directory);
  EXPECT_THAT(names_in(journals[0].ledger), ElementsAre("b", "c"));
  EXPECT_FALSE(journals[0].ledger.images_of("c").at(-1).done);
  EXPECT_THAT(names_in(journals[1].ledger), ElementsAre("a", "m[1]", "m[2]"));
  EXPECT_EQ(journals[1].ledger.images_of("a").at(-1), changed);
}

TEST(LedgerTest, AJournalOfManyLinesIsReadInTheirOrder) {
  TemporaryFolder directory;
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    ImageRecord record = done_record("image" + std::to_string(i % 1000));
    record.sources = i;
    text += line_of(record);
  }
  directory.write("journal.jsonl", text);
  const Ledger ledger = read_quietly(directory).at(0).ledger;
  ASSERT_EQ(ledger.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(ledger.images_of("image" + std::to_string(i)).at(-1).sources, 4000 + i);
}

}  // namespace
}  // namespace srcextract
