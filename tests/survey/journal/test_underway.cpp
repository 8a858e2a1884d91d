#include "survey/journal/underway.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "survey/inputs/name_hash.hpp"
#include "survey/journal/journal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/survey/journal/processes.hpp"
#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using testing::ForkedProcess;
using testing::TemporaryFolder;

void ignore(const std::string&) {}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(NameHash, IsFnv1aAsPublished) {
  // RFC 9923, test vectors of 64 bits.
  EXPECT_EQ(hexadecimal(name_hash("")), "cbf29ce484222325");
  EXPECT_EQ(hexadecimal(name_hash("a")), "af63dc4c8601ec8c");
  EXPECT_EQ(hexadecimal(name_hash("foobar")), "85944171f73967e8");
}

TEST(UnderwayTest, NotesAreReadBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal.begun";
  Underway underway(path);
  EXPECT_FALSE(std::filesystem::exists(path));
  const std::string awkward = "caf\xe9\nnight/" + std::string(5000, 'x');
  underway.begin("a.fits");
  underway.begin(awkward, 3);
  underway.begin("c.fits");
  underway.end("c.fits");
  const UnderwayNotes notes = read_underway(path);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_FALSE(notes.at(name_hash("a.fits")).ended);
  EXPECT_EQ(notes.at(name_hash("a.fits")).trials, 0);
  EXPECT_EQ(notes.at(name_hash(awkward)).trials, 3);
  EXPECT_TRUE(notes.at(name_hash("c.fits")).ended);
  EXPECT_NE(text_of(path).find(" a.fits "), std::string::npos);
}

TEST(UnderwayTest, PlacesAreUsedAgainAndTheFileGoesWithTheLast) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal.begun";
  Underway underway(path);
  for (int i = 0; i < 1000; ++i) {
    underway.begin(std::to_string(i));
    underway.begin(std::to_string(i) + "b");
    underway.forget(name_hash(std::to_string(i)));
    underway.forget(name_hash(std::to_string(i) + "b"));
  }
  EXPECT_EQ(std::filesystem::file_size(path), 256u);
  EXPECT_TRUE(read_underway(path).empty());
  underway.remove_if_empty();
  EXPECT_FALSE(std::filesystem::exists(path));
  underway.begin("again");
  underway.remove_if_empty();
  EXPECT_EQ(read_underway(path).size(), 1u);
}

TEST(UnderwayTest, AnotherProcessTakesNotesOverAndForgetsThem) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal.begun";
  {
    Underway before(path);
    before.begin("a", 2);
    before.begin("b");
  }
  Underway after(path);
  after.begin("c");
  after.end("a");
  UnderwayNotes notes = read_underway(path);
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_TRUE(notes.at(name_hash("a")).ended);
  EXPECT_EQ(notes.at(name_hash("a")).trials, 2);
  for (const char* name : {"a", "b", "c"}) after.forget(name_hash(name));
  after.remove_if_empty();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(UnderwayTest, WhatIsNoNoteIsLeftOut) {
  const TemporaryFolder folder;
  const std::string path = folder / "journal.begun";
  Underway(path).begin("a.fits", 1);
  const std::string whole = text_of(path);
  for (std::size_t at = 0; at < 25; ++at) {
    for (const char c : {'\0', 'x', '\xff', '-', '\n'}) {
      std::string damaged = whole;
      damaged[at] = c;
      std::ofstream(path, std::ios::binary) << damaged << whole.substr(0, at);
      const UnderwayNotes notes = read_underway(path);
      ASSERT_LE(notes.size(), 1u);
      for (const auto& [hash, note] : notes) ASSERT_GE(note.trials, 0);
      Underway(path).begin("b.fits");
      ASSERT_TRUE(read_underway(path).contains(name_hash("b.fits")));
    }
  }
}

TEST(UnderwayTest, TheJournalKeepsANoteUntilTheRecordIsThere) {
  const TemporaryFolder folder;
  ForkedProcess process([&](const ForkedProcess::Stay& stay) {
    Journal journal(folder.string(), {}, "{}", ignore);
    for (int i = 0; i < 200; ++i) {
      const std::string name = std::to_string(i);
      journal.begin(name);
      journal.add(done_record(name));
      journal.end(name);
    }
    journal.begin("last");
    stay("begun");
  });
  EXPECT_EQ(process.said(), "begun");
  process.kill();
  const Ledger known = join_ledgers(read_journals(folder.string(), ignore));
  Journal journal(folder.string(), {}, "{}", ignore);
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i);
    const auto note = journal.interrupted().find(name_hash(name));
    EXPECT_TRUE(known.contains(name) || (note != journal.interrupted().end() && note->second.ended)) << name;
  }
  EXPECT_FALSE(journal.interrupted().at(name_hash("last")).ended);
}

TEST(UnderwayTest, AWholeRunTakesOverWhatShardsLeftAndClearsItAway) {
  const TemporaryFolder folder;
  for (int index = 1; index <= 2; ++index) {
    Journal shard(folder.string(), {index, 2}, "{}", ignore);
    shard.begin(std::to_string(index));
  }
  Journal whole(folder.string(), {}, "{}", ignore);
  EXPECT_EQ(whole.interrupted().size(), 2u);
  for (const char* name : {"1", "2"}) {
    whole.begin(name, 1);
    whole.add(done_record(name));
    whole.end(name);
  }
  whole.finish(true);
  for (const auto& entry : std::filesystem::directory_iterator(folder.string()))
    EXPECT_NE(entry.path().extension(), ".begun") << entry.path();
}

TEST(UnderwayTest, AShardLeavesThoseOfShardsAloneThatMayBeAtWork) {
  const TemporaryFolder folder;
  Journal other(folder.string(), {1, 2}, "{}", ignore);
  other.begin("1");
  Journal own(folder.string(), {2, 2}, "{}", ignore);
  EXPECT_TRUE(own.interrupted().empty());
}

}  // namespace
}  // namespace srcextract
