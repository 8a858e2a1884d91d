#include "pipeline/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "stages/core/error.hpp"
#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;

class KeptFilesTest : public ::testing::Test {
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

TEST_F(KeptFilesTest, AnInputIsNotReplacedUnderAnotherPath) {
  EXPECT_THAT(testing::config_error([&] {
                KeptFiles({path("y"), path("x.cat.fits")}).require_kept({path("./x.cat.fits")});
              }),
              HasSubstr("would replace the input"));
}

TEST_F(KeptFilesTest, NorThroughALink) {
  std::filesystem::create_symlink("x.cat.fits", path("link.fits"));
  EXPECT_THAT(testing::config_error([&] { KeptFiles({path("link.fits")}).require_kept({path("x.cat.fits")}); }),
              HasSubstr("link.fits"));
}

TEST_F(KeptFilesTest, OtherFilesAreFine) {
  EXPECT_NO_THROW(KeptFiles({path("x.cat.fits"), path("missing.fits")}).require_kept({path("new.cat.fits")}));
}

}  // namespace
}  // namespace srcextract
