#include "survey/journal/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using ::testing::ElementsAre;
using testing::failed_record;
using ::testing::IsEmpty;
using testing::of_hdu;
using testing::TemporaryFolder;

/// How many files are added, changed, retried, forced, done, failed.
std::vector<std::int64_t> counts(const SurveyPlan& plan) {
  return {plan.added, plan.changed, plan.retried, plan.forced, plan.done, plan.failed};
}

/// A survey of the one file a.fits, in whose output directory is what done() says.
class PlanTest : public ::testing::Test {
 protected:
  PlanTest() {
    auto config = std::make_shared<ImageConfig>();
    config->hash = "c1";
    file_ = {"/data/a.fits", "a.fits", 2880, 1700000000123456789, config};
    directory_.write("a.cat.fits", "catalogue");
    directory_.write("a.run.json", "report");
  }

  static ImageRecord done() {
    ImageRecord record = done_record("a.fits");
    record.outputs = {{"a.cat.fits", 9}, {"a.run.json", 6}};
    return record;
  }

  SurveyPlan plan(const std::vector<ImageRecord>& records, const PlanOptions& options = {}) const {
    Ledger ledger;
    for (const ImageRecord& record : records) ledger.remember(record);
    return make_plan({file_}, ledger, directory_.string(), "1.0", options);
  }

  TemporaryFolder directory_;
  ImageFile file_;
};

constexpr PlanOptions retry{true, false}, force{false, true};

TEST_F(PlanTest, WhatIsNotKnownIsToDo) {
  const SurveyPlan result = plan({});
  EXPECT_THAT(counts(result), ElementsAre(1, 0, 0, 0, 0, 0));
  ASSERT_EQ(result.files.size(), 1u);
  EXPECT_EQ(result.files[0].file.path, "/data/a.fits");
  EXPECT_THAT(result.files[0].done_hdus, IsEmpty());
}

TEST_F(PlanTest, WhatIsDoneIsDone) {
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(plan({done()}).files, IsEmpty());
  EXPECT_THAT(counts(plan({done()}, retry)), ElementsAre(0, 0, 0, 0, 1, 0));
}

TEST_F(PlanTest, AFileOfAnotherSizeIsChanged) {
  file_.bytes = 5760;
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, AFileOfAnotherTimeIsChanged) {
  file_.modified += 1;
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, AnotherConfigurationIsAChange) {
  auto config = std::make_shared<ImageConfig>();
  config->hash = "c2";
  file_.config = config;
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, AnotherVersionIsAChange) {
  ImageRecord record = done();
  record.program = "0.9";
  EXPECT_THAT(counts(plan({record})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, AFileThatWasElsewhereIsTheSame) {
  file_.path = "/mnt/data/a.fits";
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 0, 0, 0, 1, 0));
}

TEST_F(PlanTest, AMissingOutputIsAChange) {
  std::filesystem::remove(directory_ / "a.run.json");
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_EQ(plan({done()}).files.size(), 1u);
}

TEST_F(PlanTest, AnOutputOfAnotherSizeIsAChange) {
  directory_.write("a.cat.fits", "");
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, ADirectoryInTheWayOfAnOutputIsAChange) {
  std::filesystem::remove(directory_ / "a.cat.fits");
  std::filesystem::create_directory(directory_ / "a.cat.fits");
  EXPECT_THAT(counts(plan({done()})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, WhatFailedIsTriedAgainWhereThatIsWanted) {
  const ImageRecord failed = failed_record("a.fits", "why");
  EXPECT_THAT(counts(plan({failed})), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(plan({failed}).files, IsEmpty());
  EXPECT_THAT(counts(plan({failed}, retry)), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(counts(plan({failed}, force)), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_EQ(plan({failed}, retry).files.size(), 1u);
}

TEST_F(PlanTest, WhatFailedAndWasChangedSinceIsTriedAgain) {
  file_.modified += 1;
  EXPECT_THAT(counts(plan({failed_record("a.fits", "why")})), ElementsAre(0, 1, 0, 0, 0, 0));
}

TEST_F(PlanTest, AFileThatIsStillMissingStaysFailed) {
  file_.bytes = file_.modified = 0;
  ImageRecord missing = failed_record("a.fits", "no such file");
  missing.bytes = missing.modified = 0;
  EXPECT_THAT(counts(plan({missing})), ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST_F(PlanTest, WhatIsDoneIsDoneAgainByForce) {
  const SurveyPlan result = plan({done()}, force);
  EXPECT_THAT(counts(result), ElementsAre(0, 0, 0, 1, 0, 0));
  ASSERT_EQ(result.files.size(), 1u);
  EXPECT_THAT(result.files[0].done_hdus, IsEmpty());
}

TEST_F(PlanTest, OfAFileOfSeveralImagesOnlyTheMissingAreToDo) {
  const SurveyPlan result = plan({of_hdu(done(), 4, 3), of_hdu(done(), 1, 3)});
  EXPECT_THAT(counts(result), ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(result.files[0].done_hdus, ElementsAre(1, 4));
  EXPECT_THAT(counts(plan({of_hdu(done(), 4, 2), of_hdu(done(), 1, 2)})), ElementsAre(0, 0, 0, 0, 1, 0));
  EXPECT_THAT(plan({of_hdu(done(), 4, 3)}, force).files[0].done_hdus, IsEmpty());
}

TEST_F(PlanTest, OfAFileOfSeveralImagesThoseThatFailedWaitForARetry) {
  const ImageRecord failed = of_hdu(failed_record("a.fits", "why"), 2, 3);
  const SurveyPlan missing = plan({of_hdu(done(), 1, 3), failed});
  EXPECT_THAT(counts(missing), ElementsAre(1, 0, 0, 0, 0, 1));
  EXPECT_THAT(missing.files[0].done_hdus, ElementsAre(1, 2));
  EXPECT_THAT(missing.files[0].failed_hdus, ElementsAre(2));
  const SurveyPlan again = plan({of_hdu(done(), 1, 3), failed}, retry);
  EXPECT_THAT(counts(again), ElementsAre(1, 0, 0, 0, 0, 0));
  EXPECT_THAT(again.files[0].done_hdus, ElementsAre(1));
  EXPECT_THAT(again.files[0].failed_hdus, IsEmpty());

  const std::vector<ImageRecord> all = {of_hdu(done(), 1, 3), failed, of_hdu(done(), 3, 3)};
  EXPECT_THAT(counts(plan(all)), ElementsAre(0, 0, 0, 0, 0, 1));
  EXPECT_THAT(counts(plan(all, retry)), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(plan(all, retry).files[0].done_hdus, ElementsAre(1, 3));
}

TEST_F(PlanTest, OfAFileOfSeveralImagesOneWithoutItsOutputIsToDo) {
  ImageRecord second = of_hdu(done(), 2, 2);
  second.outputs = {{"a.hdu2.cat.fits", 9}};
  const SurveyPlan result = plan({of_hdu(done(), 1, 2), second});
  EXPECT_THAT(counts(result), ElementsAre(0, 1, 0, 0, 0, 0));
  EXPECT_THAT(result.files[0].done_hdus, ElementsAre(1));
}

TEST_F(PlanTest, FilesStayInTheirOrder) {
  ImageFiles files;
  for (int i = 0; i < 500; ++i) {
    file_.name = std::to_string(i * 7 % 500);
    files.push_back(file_);
  }
  Ledger ledger;
  ledger.remember(failed_record("7", "why"));
  const SurveyPlan result = make_plan(files, ledger, directory_.string(), "1.0", {});
  EXPECT_THAT(counts(result), ElementsAre(499, 0, 0, 0, 0, 1));
  for (std::size_t i = 1; i < result.files.size(); ++i)
    EXPECT_EQ(result.files[i].file.name, std::to_string((i + 1) * 7 % 500));
}

}  // namespace
}  // namespace srcextract
