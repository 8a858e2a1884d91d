#include "survey/journal/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/rounds.hpp"
#include "tests/survey/journal/processes.hpp"
#include "tests/survey/journal/records.hpp"
#include "tests/survey/journal/warnings.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using ::testing::ElementsAre;
using testing::fail_on;
using testing::failed_record;
using testing::ForkedProcess;
using ::testing::HasSubstr;
using testing::read_file;
using testing::read_lines;
using ::testing::StartsWith;
using testing::TemporaryFolder;

std::string name_of(int image) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%06d", image);
  return text.data();
}

TEST(JournalTest, IsASessionItsRecordsAndItsEnd) {
  TemporaryFolder directory;
  Journal journal(directory.string(), {2, 4}, R"({"host":"node07"})", fail_on);
  const std::string path = directory / "journal.2-of-4.jsonl";
  EXPECT_THAT(read_lines(path), ElementsAre(R"({"session":1,"about":{"host":"node07"}})"));
  journal.add(done_record("b.fits"));
  journal.add(failed_record("a.fits", "why"));
  journal.finish(true);
  EXPECT_THAT(read_lines(path),
              ElementsAre(R"({"session":1,"about":{"host":"node07"}})", StartsWith(R"({"written":)"),
                          format_record(done_record("b.fits")), format_record(failed_record("a.fits", "why")),
                          R"({"end":{"complete":true,"shard":"2/4","images":2,"failures":1}})"));
  EXPECT_EQ(read_lines(directory / "failures.2-of-4.csv").size(), 2u);
}

TEST(JournalTest, OfAReasonOfMegabytesTheBeginningIsWritten) {
  TemporaryFolder directory;
  Journal journal(directory.string(), {}, "{}", fail_on);
  journal.add(failed_record("a.fits", "it has 'E'" + std::string(3'500'000, 'e')));
  journal.finish(true);
  EXPECT_THAT(read_lines(directory / "journal.jsonl").at(2), HasSubstr("it has 'E'"));
  EXPECT_THAT(read_lines(directory / "failures.csv").at(1), ::testing::EndsWith("eee..."));
  for (const char* name : {"journal.jsonl", "failures.csv"})
    EXPECT_LT(std::filesystem::file_size(directory / name), 3000u) << name;
}

TEST(JournalTest, WhatIsAddedIsThereWithinSeconds) {
  TemporaryFolder directory;
  Journal journal(directory.string(), {}, "{}", fail_on);
  journal.add(failed_record("a.fits", "why"));
  const auto seen = [&] {
    return read_lines(directory / "journal.jsonl").size() == 3 && std::filesystem::exists(directory / "failures.csv");
  };
  for (int tries = 0; tries < 600 && !seen(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(seen());
}

TEST(JournalTest, ThereIsASessionAfterTheOneOfTheGreatestNumber) {
  TemporaryFolder directory;
  directory.write("journal.jsonl", format_session(last_session_number, "{}"));
  for (int start = 0; start < 2; ++start) Journal(directory.string(), {}, "{}", fail_on).finish(true);
  EXPECT_TRUE(read_journals(directory.string(), fail_on).at(0).complete);
}

TEST(JournalTest, ASessionKnowsWhatAllJournalsSaid) {
  TemporaryFolder directory;
  {
    Journal journal(directory.string(), {}, "{}", fail_on);
    EXPECT_TRUE(journal.take_before().empty());
    journal.add(failed_record("a.fits", "why"));
    journal.add(failed_record("b.fits", "why"));
    journal.finish(false);
  }
  {
    Journal journal(directory.string(), {1, 2}, "{}", fail_on);
    EXPECT_EQ(journal.take_before().size(), 2u);
    journal.add(done_record("a.fits"));
    journal.finish(true);
  }
  Journal journal(directory.string(), {}, "{}", fail_on);
  const Ledger before = journal.take_before();
  EXPECT_TRUE(before.images_of("a.fits").at(-1).done);
  EXPECT_FALSE(before.images_of("b.fits").at(-1).done);
  EXPECT_EQ(read_lines(directory / "journal.jsonl").back(), R"({"session":3,"about":{}})");
  journal.finish(true);
  EXPECT_THAT(read_lines(directory / "failures.csv"), ElementsAre(HasSubstr("image,"), HasSubstr("b.fits,")));
}

TEST(JournalTest, TheFailuresOfTheWholeAreThoseOfAllShardsAsWell) {
  TemporaryFolder directory;
  for (const int index : {1, 2}) {
    Journal journal(directory.string(), {index, 2}, "{}", fail_on);
    for (const char* name : {"a.fits", "b.fits"}) journal.add(failed_record(std::to_string(index) + name, "why"));
    journal.finish(true);
  }
  Journal journal(directory.string(), {}, "{}", fail_on);
  journal.add(done_record("1a.fits"));
  journal.finish(true);
  EXPECT_THAT(read_lines(directory / "failures.csv"),
              ElementsAre(HasSubstr("image,"), HasSubstr("1b.fits,"), HasSubstr("2a.fits,"), HasSubstr("2b.fits,")));
  EXPECT_THAT(directory.names(),
              ::testing::UnorderedElementsAre("failures.csv", "journal.1-of-2.jsonl", "journal.2-of-2.jsonl",
                                              "journal.jsonl", "journal.lock"));
}

TEST(JournalTest, IsWrittenButNotEndedWhereTheWorkBreaksOff) {
  TemporaryFolder directory;
  { Journal(directory.string(), {}, "{}", fail_on).add(done_record("a.fits")); }
  EXPECT_EQ(read_lines(directory / "journal.jsonl").size(), 3u);
  EXPECT_FALSE(read_journals(directory.string(), fail_on).at(0).complete);
}

TEST(JournalTest, TwoOnOneDirectoryAreOneTooMany) {
  TemporaryFolder directory;
  Journal journal(directory.string(), {}, "{}", fail_on);
  const std::string before = read_file(directory / "journal.jsonl");
  EXPECT_THROW(Journal(directory.string(), {}, "{}", fail_on), Error);
  EXPECT_THROW(Journal(directory.string(), {1, 2}, "{}", fail_on), Error);
  EXPECT_EQ(read_file(directory / "journal.jsonl"), before);
}

TEST(JournalTest, ATornLineIsCutOffAndAnotherJournalsIsLeftAlone) {
  TemporaryFolder directory;
  directory.write("journal.1-of-2.jsonl", format_record(done_record("a")) + "\n{\"image\":\"b");
  directory.write("journal.2-of-2.jsonl", format_record(done_record("c")) + "\n{\"image\":\"d");
  Journal journal(directory.string(), {1, 2}, "{}", fail_on);
  EXPECT_EQ(journal.take_before().size(), 2u);
  EXPECT_THAT(read_lines(directory / "journal.1-of-2.jsonl"),
              ElementsAre(format_record(done_record("a")), R"({"session":1,"about":{}})"));
  EXPECT_THAT(read_file(directory / "journal.2-of-2.jsonl"), ::testing::EndsWith("\n{\"image\":\"d"));
}

/// Which of the shards' temporary files are left once a session of `shard` has begun, where they and their journals are
/// of sessions that were killed.
std::vector<std::string> left_of_killed(const Shard& shard) {
  TemporaryFolder directory;
  std::filesystem::create_directory(directory / "night1");
  for (const char* name : {"journal.jsonl", "journal.1-of-2.jsonl", "journal.2-of-2.jsonl"})
    directory.write(name, format_session(1, "{}"));
  const std::vector<std::string> tags = {"1-of-1", "1-of-2", "1-of-2-alone", "2-of-2", "1234"};
  const auto path_of = [&](const std::string& tag) { return "night1/.srcextract." + tag + ".0.tmp"; };
  for (const std::string& tag : tags) directory.write(path_of(tag), "half");
  Journal journal(directory.string(), shard, "{}", fail_on);
  std::vector<std::string> left;
  for (const std::string& tag : tags)
    if (std::filesystem::exists(directory / path_of(tag))) left.push_back(tag);
  return left;
}

TEST(JournalTest, TemporaryFilesOfKilledSessionsAreRemovedButForThoseOfShardsThatMayBeAtWork) {
  EXPECT_THAT(left_of_killed({1, 1}), ElementsAre("1234"));
  EXPECT_THAT(left_of_killed({1, 2}), ElementsAre("2-of-2", "1234"));
  EXPECT_THAT(left_of_killed({2, 2}), ElementsAre("1-of-2", "1-of-2-alone", "1234"));
  EXPECT_THAT(left_of_killed({2, 3}), ElementsAre("1234"));
}

TEST(JournalTest, TemporaryFilesAreLookedForOnceAfterASessionWasKilled) {
  TemporaryFolder directory;
  directory.write("journal.1-of-2.jsonl", format_session(1, "{}"));
  const auto is_removed = [&] {
    const std::string path = directory.write(".srcextract.1-of-2.0.tmp", "half");
    Journal journal(directory.string(), {}, "{}", fail_on);
    journal.finish(true);
    return !std::filesystem::exists(path);
  };
  EXPECT_TRUE(is_removed());
  EXPECT_FALSE(is_removed()) << "every restart of a finished survey would look through all of its directories";
  directory.write("journal.1-of-2.jsonl", format_session(3, "{}"));
  EXPECT_TRUE(is_removed());
}

TEST(JournalTest, ManyThreadsAdd) {
  TemporaryFolder directory;
  constexpr int threads = 32, images = 500;
  {
    Journal journal(directory.string(), {}, "{}", fail_on);
    std::vector<std::jthread> team;
    for (int thread = 0; thread < threads; ++thread)
      team.emplace_back([&journal, thread] {
        for (int image = 0; image < images; ++image) {
          ImageRecord record = done_record(name_of(thread * images + image));
          record.sources = thread * images + image;
          journal.add(record);
        }
      });
    team.clear();
    journal.finish(true);
  }
  const JournalFile journal = read_journals(directory.string(), fail_on).at(0);
  EXPECT_TRUE(journal.complete);
  ASSERT_EQ(journal.ledger.size(), static_cast<std::size_t>(threads * images));
  for (int image = 0; image < threads * images; ++image)
    ASSERT_EQ(journal.ledger.images_of(name_of(image)).at(-1).sources, image);
}

/// The number of images of the ledger, which must be the first ones of those that were added.
int prefix_in(const Ledger& ledger) {
  int next = 0;
  for (const auto& [name, images] : ledger) EXPECT_EQ(name, name_of(next++));
  return next;
}

TEST(JournalTest, KilledAtAnyInstantItHoldsTheFirstOnesOfWhatWasAdded) {
  constexpr int images = 1500;
  std::mt19937 random(3);
  std::uniform_int_distribution<int> microseconds(0, 60000);
  int killed = 0;
  const int rounds = testing::rounds(100);
  for (int round = 0; round < rounds; ++round) {
    TemporaryFolder directory;
    ForkedProcess process([&](const auto&) {
      Journal journal(directory.string(), {}, "{}", fail_on);
      for (int image = 0; image < images; ++image) journal.add(done_record(name_of(image)));
      journal.finish(true);
    });
    usleep(static_cast<useconds_t>(microseconds(random)));
    kill(process.pid(), SIGKILL);
    if (process.wait() != 0) ++killed;
    Journal journal(directory.string(), {}, "{}", fail_on);
    const int kept = prefix_in(journal.take_before());
    for (int image = kept; image < images; ++image) journal.add(done_record(name_of(image)));
    journal.finish(true);
    const JournalFile whole = read_journals(directory.string(), fail_on).at(0);
    ASSERT_TRUE(whole.complete);
    ASSERT_EQ(prefix_in(whole.ledger), images);
  }
  std::printf("%d of %d processes were killed\n", killed, rounds);
}

TEST(JournalTest, AFullDiskIsSaidToTheNextWhoAdds) {
  TemporaryFolder directory;
  ForkedProcess process([&](const ForkedProcess::Stay& stay) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {50000, 50000};
    Journal journal(directory.string(), {}, "{}", fail_on);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(1);
    std::string message;
    try {
      for (int image = 0; image < 1000; ++image) {
        journal.add(done_record(name_of(image)));
        usleep(20000);
      }
    } catch (const Error& error) {
      message = error.what();
    }
    try {
      journal.finish(true);
    } catch (const Error& error) {
      stay(message == error.what() ? message : "add: " + message + "\nfinish: " + error.what());
    }
  });
  EXPECT_EQ(process.said(), "cannot write " + (directory / "journal.jsonl") +
                                ": File too large; raise the limit on file sizes (ulimit -f), or choose another "
                                "directory");
  EXPECT_THAT(read_file(directory / "journal.jsonl"), ::testing::EndsWith("}\n"));
  const JournalFile journal = read_journals(directory.string(), fail_on).at(0);
  EXPECT_FALSE(journal.complete);
  EXPECT_GT(prefix_in(journal.ledger), 0);
}

}  // namespace
}  // namespace srcextract
