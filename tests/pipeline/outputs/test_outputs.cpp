#include "pipeline/outputs/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
