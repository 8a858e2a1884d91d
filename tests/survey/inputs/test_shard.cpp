#include "survey/inputs/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/config_error.hpp"
#include "tests/survey/inputs/survey_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names_of;

TEST(ParseShard, ReadsPartOfWhole) {
  EXPECT_EQ(parse_shard("1/1"), (Shard{1, 1}));
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  EXPECT_EQ(parse_shard("1000/1000"), (Shard{1000, 1000}));
}

TEST(ParseShard, SaysWhatIsRight) {
  for (const char* text : {"", "/", "2", "2/", "/4", "0/4", "5/4", "-1/4", "2/-4", "0/0", "2/4/8", "a/4", "2/4 ",
                           " 2/4", "2:4", "1.5/4", "1/99999999999", "+1/4"})
    EXPECT_THAT(testing::config_error([&] { parse_shard(text); }),
                AllOf(HasSubstr("--shard " + std::string(text) + " "),
                      HasSubstr("--shard 2/4 is part 2 of 4, counted from 1")));
}

/// The variables that Slurm sets for a task; an empty one is unset.
class SlurmShard : public ::testing::Test {
 protected:
  void TearDown() override { set({"", "", "", "", ""}); }

  static void set(const std::vector<std::string>& id_min_max_step_count) {
    const char* names[] = {"ID", "MIN", "MAX", "STEP", "COUNT"};
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string name = std::string("SLURM_ARRAY_TASK_") + names[i];
      const std::string& value = id_min_max_step_count[i];
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    }
  }
  static std::string mistake(const std::vector<std::string>& id_min_max_step_count) {
    set(id_min_max_step_count);
    return testing::config_error([] { slurm_shard(); });
  }
};

TEST_F(SlurmShard, IsNoneOutsideOfAnArray) {
  set({"", "", "", "", ""});
  EXPECT_EQ(slurm_shard(), std::nullopt);
}

TEST_F(SlurmShard, IsThePlaceOfTheTaskAmongTheIds) {
  set({"0", "0", "3", "1", "4"});  // --array=0-3
  EXPECT_EQ(slurm_shard(), (Shard{1, 4}));
  set({"4", "1", "4", "1", "4"});  // --array=1-4
  EXPECT_EQ(slurm_shard(), (Shard{4, 4}));
  set({"15", "5", "25", "5", "5"});  // --array=5-25:5, or 5-29:5
  EXPECT_EQ(slurm_shard(), (Shard{3, 5}));
  set({"7", "7", "7", "1", "1"});  // --array=7
  EXPECT_EQ(slurm_shard(), (Shard{1, 1}));
}

TEST_F(SlurmShard, IdsThatAreNotEvenlySpacedAreAMistakeInEveryTask) {
  for (const char* id : {"1", "3", "4"}) {  // --array=1,3,4, whatever Slurm calls its step
    EXPECT_THAT(mistake({id, "1", "4", "1", "3"}), AllOf(HasSubstr("evenly"), HasSubstr("--shard I/N")));
    EXPECT_THAT(mistake({id, "1", "4", "2", "3"}), HasSubstr("--shard I/N"));
  }
}

TEST_F(SlurmShard, ThereAreNoMoreThanASurveyCanHave) {
  set({"0", "0", "999999", "1", "1000000"});
  EXPECT_EQ(slurm_shard(), (Shard{1, 1'000'000}));
  EXPECT_THAT(mistake({"0", "0", "1000000", "1", "1000001"}), AllOf(HasSubstr("1000001 tasks"), HasSubstr("million")));
  EXPECT_THAT(mistake({"0", "0", "2147483646", "1", "2147483647"}), HasSubstr("million"));
}

TEST_F(SlurmShard, ContradictionsSayWhatToDo) {
  for (const auto& variables :
       std::vector<std::vector<std::string>>{{"5", "0", "3", "1", "4"},
                                             {"0", "1", "4", "1", "4"},
                                             {"0", "0", "3", "0", "4"},
                                             {"0", "0", "3", "-1", "4"},
                                             {"0", "0", "0", "1", "0"},
                                             {"2147483647", "-2147483648", "2147483647", "1", "2"},
                                             {"3", "0", "4", "2", "3"}})
    EXPECT_THAT(mistake(variables), HasSubstr("--shard I/N"));
  EXPECT_THAT(mistake({"1", "0", "3", "1", ""}),
              AllOf(HasSubstr("SLURM_ARRAY_TASK_COUNT is not"), HasSubstr("--shard")));
  EXPECT_THAT(mistake({"one", "0", "3", "1", "4"}), AllOf(HasSubstr("'one'"), HasSubstr("--shard I/N")));
}

ImageFiles files_of(const std::vector<std::int64_t>& sizes) {
  ImageFiles files;
  for (const std::int64_t bytes : sizes) {
    const std::string number = std::to_string(files.size());
    files.push_back({.path = "", .name = std::string(6 - number.size(), '0') + number, .bytes = bytes, .config = {}});
  }
  return files;
}

std::int64_t bytes_of(const ImageFiles& files) {
  return std::accumulate(files.begin(), files.end(), std::int64_t{0},
                         [](std::int64_t sum, const ImageFile& file) { return sum + file.bytes; });
}

// Graham (1969), by hand: 7 | 6, 6+5, 7+4, 7+4+3.
TEST(ShareOf, LargestFirstToWhoHasLeast) {
  const auto files = files_of({3, 4, 5, 6, 7});
  EXPECT_THAT(names_of(share_of({1, 2}, files)), ElementsAre("000000", "000001", "000004"));
  EXPECT_THAT(names_of(share_of({2, 2}, files)), ElementsAre("000002", "000003"));
}

TEST(ShareOf, OneShardIsEverything) {
  const auto files = files_of({3, 0, 5});
  EXPECT_EQ(names_of(share_of({1, 1}, files)), names_of(files));
}

TEST(ShareOf, MoreShardsThanFilesLeaveSomeEmpty) {
  const auto files = files_of({5, 5});
  EXPECT_THAT(names_of(share_of({1, 3}, files)), ElementsAre("000000"));
  EXPECT_THAT(names_of(share_of({2, 3}, files)), ElementsAre("000001"));
  EXPECT_THAT(share_of({3, 3}, files), IsEmpty());
  EXPECT_THAT(share_of({1, 3}, {}), IsEmpty());
}

TEST(ShareOf, FilesWithoutASizeAreSpreadToo) {
  const auto files = files_of(std::vector<std::int64_t>(12, 0));
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(share_of({i, 4}, files).size(), 3u);
}

TEST(ShareOf, EveryFileIsInOneShardAndLoadsAreEven) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> sizes(15, 2);
  for (const int count : {2, 3, 7, 64}) {
    std::vector<std::int64_t> bytes(1000);
    for (std::int64_t& b : bytes) b = static_cast<std::int64_t>(sizes(random));
    const auto files = files_of(bytes);
    std::map<std::string, int> times;
    std::vector<std::int64_t> loads;
    for (int i = 1; i <= count; ++i) {
      const auto share = share_of({i, count}, files);
      const auto names = names_of(share);
      EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
      for (const std::string& name : names) ++times[name];
      loads.push_back(bytes_of(share));
    }
    EXPECT_EQ(times.size(), files.size());
    EXPECT_TRUE(std::all_of(times.begin(), times.end(), [](const auto& t) { return t.second == 1; }));
    const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
    EXPECT_LE(*most - *least, *std::max_element(bytes.begin(), bytes.end()));
  }
}

TEST(ShareOf, DoesNotDependOnTheOrderOfTheFiles) {
  auto files = files_of({5, 5, 5, 5, 9, 9, 1, 1, 1, 0, 0, 7});
  std::vector<std::vector<std::string>> expected;
  for (int i = 1; i <= 3; ++i) expected.push_back(names_of(share_of({i, 3}, files)));
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::size_t> order(files.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    files.select(order);
    for (int i = 1; i <= 3; ++i) {
      auto names = names_of(share_of({i, 3}, files));
      std::sort(names.begin(), names.end());
      EXPECT_EQ(names, expected[static_cast<std::size_t>(i - 1)]);
    }
  }
}

}  // namespace
}  // namespace srcextract
