#include "survey/journal/survey_status.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "stages/core/error.hpp"
#include "survey/journal/directory_lock.hpp"
#include "survey/journal/journal_files.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/survey/journal/warnings.hpp"

namespace srcextract {
namespace {

using testing::fail_on;
using testing::TemporaryFolder;

constexpr std::int64_t noon = 1'700'000'000, megabyte = 1'000'000;

/// The line of an image in a file of a megabyte. `more` are further members.
std::string image_line(const std::string& name, bool done, const std::string& more = "") {
  return R"({"image":")" + name + R"(",)" + more + R"("path":"/d/)" + name +
         R"(","bytes":1000000,"modified":1,"config":"c","program":"1",)" +
         (done ? R"("datasum":1,"size":[1,1],"sources":7,"background":0,"sigma":1,"outputs":{}})"
               : R"("failed":"input","reason":"no image"})") +
         "\n";
}

const std::string begins = R"({"session":1,"about":{"host":"node07","process":4711,"start":"2023-11-14T22:13:20Z"}})"
                           "\n";

void write_journal(const TemporaryFolder& folder, const Shard& shard, const std::string& lines) {
  std::ofstream(journal_path(folder.string(), shard)) << begins << lines;
}

SurveyStatus status_at(const TemporaryFolder& folder, std::int64_t time) {
  return survey_status(folder.string(), time, fail_on);
}

/// A survey of 100 files: 20 in the first 1000 seconds, then one every 20 seconds until 60 are done.
std::string sixty_of_a_hundred() {
  std::string lines = format_plan({noon, 100, 100 * megabyte}) + format_written(noon + 1000);
  for (int i = 0; i < 20; ++i) lines += image_line("a" + std::to_string(i), i > 0);
  for (int i = 20; i < 60; ++i)
    lines += format_written(noon + 1000 + 20 * (i - 19)) + image_line("a" + std::to_string(i), true);
  return lines;
}

TEST(SurveyStatus, SpeedOfARunIsThatOfTheLastTenMinutes) {
  const TemporaryFolder folder;
  write_journal(folder, {}, sixty_of_a_hundred());
  const DirectoryLock lock(folder.string(), {}, fail_on);
  const SurveyStatus survey = status_at(folder, noon + 1805);
  const ShardStatus& shard = survey.shards.at(0);
  EXPECT_EQ(shard.state, ShardState::running);
  EXPECT_EQ(survey.done, 59);
  EXPECT_EQ(survey.failed, 1);
  EXPECT_EQ(survey.sources, 59 * 7);
  EXPECT_EQ(survey.files_left, 40);
  EXPECT_EQ(survey.bytes_left, 40 * megabyte);
  EXPECT_DOUBLE_EQ(survey.files_per_second.value_or(0), 0.05);
  EXPECT_DOUBLE_EQ(survey.bytes_per_second.value_or(0), 0.05 * megabyte);
  EXPECT_DOUBLE_EQ(survey.seconds_left.value_or(0), 800);
  EXPECT_EQ(shard.host, "node07");
  EXPECT_EQ(shard.process, 4711);
  EXPECT_EQ(shard.last_record, noon + 1800);
  ASSERT_EQ(survey.failures.size(), 1U);
  EXPECT_EQ(survey.failures[0].kind, "input");
  EXPECT_EQ(survey.failures[0].image, "a0");
  EXPECT_EQ(survey.failures[0].reason, "no image");
}

TEST(SurveyStatus, ARunThatHangsSlowsDown) {
  const TemporaryFolder folder;
  write_journal(folder, {}, sixty_of_a_hundred());
  const DirectoryLock lock(folder.string(), {}, fail_on);
  EXPECT_DOUBLE_EQ(status_at(folder, noon + 1805 + 300).files_per_second.value_or(-1), 0.025);
  EXPECT_EQ(status_at(folder, noon + 9000).files_per_second, 0);
  EXPECT_EQ(status_at(folder, noon + 9000).seconds_left, std::nullopt);
}

TEST(SurveyStatus, AKilledRunHasTheSpeedOfItsSession) {
  const TemporaryFolder folder;
  write_journal(folder, {}, sixty_of_a_hundred());
  std::ofstream(lock_path(folder.string()));
  const SurveyStatus survey = status_at(folder, noon + 100'000);
  EXPECT_EQ(survey.shards.at(0).state, ShardState::killed);
  EXPECT_EQ(survey.files_left, 40);
  EXPECT_DOUBLE_EQ(survey.files_per_second.value_or(0), 60.0 / 1800);
  EXPECT_EQ(survey.seconds_left, std::nullopt);
}

TEST(SurveyStatus, StatesOfShards) {
  const TemporaryFolder folder;
  const std::string one = format_plan({noon, 2, 2 * megabyte}) + format_written(noon + 5);
  write_journal(folder, {1, 5}, one + image_line("a", true) + image_line("b", true) + format_end(true, {1, 5}, 2, 0));
  write_journal(folder, {2, 5}, one + image_line("c", true) + format_end(false, {2, 5}, 1, 0));
  write_journal(folder, {3, 5}, one + image_line("d", true));
  write_journal(folder, {4, 5}, "");
  const DirectoryLock third(folder.string(), {3, 5}, fail_on), fourth(folder.string(), {4, 5}, fail_on);
  const SurveyStatus survey = status_at(folder, noon + 10);
  std::vector<ShardState> states;
  for (const ShardStatus& shard : survey.shards) states.push_back(shard.state);
  EXPECT_EQ(states,
            (std::vector{ShardState::finished, ShardState::stopped, ShardState::running, ShardState::planning}));
  EXPECT_EQ(survey.missing, 1);
  EXPECT_EQ(survey.done, 4);
  EXPECT_EQ(survey.files_left, std::nullopt);  // two shards have not said what they have to do
  EXPECT_EQ(survey.shards[0].files_left, 0);
  EXPECT_EQ(survey.shards[1].files_left, 1);
  EXPECT_EQ(survey.shards[1].seconds_left, std::nullopt);
  EXPECT_DOUBLE_EQ(survey.shards[2].seconds_left.value_or(0), 10);
  EXPECT_EQ(survey.shards[3].files_left, std::nullopt);
}

TEST(SurveyStatus, AFileOfSeveralImagesCountsOnce) {
  const TemporaryFolder folder;
  std::string lines = format_plan({noon, 2, 2 * megabyte}) + format_written(noon + 3);
  for (const int hdu : {1, 2, 3}) lines += image_line("a", true, R"("hdu":)" + std::to_string(hdu) + R"(,"images":3,)");
  write_journal(folder, {}, lines);
  const SurveyStatus survey = status_at(folder, noon + 3);
  EXPECT_EQ(survey.done, 3);
  EXPECT_EQ(survey.files_left, 1);
  EXPECT_EQ(survey.bytes_left, megabyte);
}

TEST(SurveyStatus, ADirectoryOfOtherFilesIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(status_at(folder, noon), Error);
}

}  // namespace
}  // namespace srcextract
