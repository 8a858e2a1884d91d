#include "pipeline/outputs/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;

class OutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ("srcextract-outputs-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ / "x.cat.fits") << "precious";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  std::filesystem::path directory_;
};

TEST_F(OutputsTest, AnInputIsNotReplacedUnderAnotherPath) {
  EXPECT_THAT(testing::config_error([&] {
                KeptFiles({path("y"), path("x.cat.fits")}).require_kept({path("./x.cat.fits")});
              }),
              HasSubstr("would replace the input"));
}

TEST_F(OutputsTest, NorThroughALink) {
  std::filesystem::create_symlink("x.cat.fits", path("link.fits"));
  EXPECT_THAT(testing::config_error([&] { KeptFiles({path("link.fits")}).require_kept({path("x.cat.fits")}); }),
              HasSubstr("link.fits"));
}

TEST_F(OutputsTest, NoFileBesideAnImageIsReplaced) {
  const std::string file = path("x.cat.fits");
  const auto none = std::make_shared<ImageConfig>(), weights = std::make_shared<ImageConfig>(),
             kernel = std::make_shared<ImageConfig>();
  weights->given.weights.file = file;
  kernel->given.convolve.file = file;  // and not of `config`, where its values are
  const std::vector<FilesBeside> all = {{.positions = file},
                                        {.detection = DetectionTask{file, none}},
                                        {.detection = DetectionTask{"deep.fits", weights}},
                                        {.detection = DetectionTask{"deep.fits", kernel}},
                                        {.bands = {{"g", "g.fits", {}, none}, {"r", file, {}, none}}},
                                        {.bands = {{"g", "g.fits", {}, none}, {"r", "r.fits", {}, weights}}},
                                        {.bands = {{"g", "g.fits", {}, kernel}}}};
  for (const FilesBeside& beside : all) {
    KeptFiles kept;
    EXPECT_NO_THROW(kept.require_kept({file}));
    kept.add_files_of(beside);
    EXPECT_THAT(testing::config_error([&] { kept.require_kept({file}); }), HasSubstr("would replace the input"));
  }
}

TEST_F(OutputsTest, OtherFilesAreFine) {
  EXPECT_NO_THROW(KeptFiles({path("x.cat.fits"), path("missing.fits")}).require_kept({path("new.cat.fits")}));
}

TEST_F(OutputsTest, ALogIsNoOutputUnderAnotherPathOrThroughALink) {
  std::filesystem::create_directory_symlink(".", path("here"));
  std::filesystem::create_symlink("x.cat.fits", path("link.log"));
  const std::string output = path("x.cat.fits");
  for (const std::string& log : {output, path("./x.cat.fits"), path("here/x.cat.fits"), path("link.log")})
    EXPECT_THAT(testing::config_error([&] {
                  LogFile(log).require_none_of({path("y"), output});
                }),
                HasSubstr("the log file '" + log + "' would also be '" + output + "'"));
  EXPECT_THAT(testing::config_error([&] { LogFile(path("new/a")).require_none_of({path("new/../new/a")}); }),
              HasSubstr("would also be"));
}

TEST_F(OutputsTest, ALogOfAnotherNameOrPlaceIsFine) {
  EXPECT_NO_THROW(LogFile(path("log")).require_none_of({path("x.cat.fits"), path("new/log")}));
}

}  // namespace
}  // namespace srcextract
