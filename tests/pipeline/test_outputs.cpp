#include "pipeline/outputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "stages/core/error.hpp"
#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ImageStem, DropsTheEndingsOfFitsInAnyCase) {
  for (const char* name : {"m31.fits", "m31.fit", "m31.fts", "m31.FITS", "m31.fits.fz", "m31.fits.gz", "m31.Fits.GZ",
                           "m31.fit.gz", "/data/night 1/m31.fits", "../m31.fits"})
    EXPECT_EQ(image_stem(name), "m31") << name;
}

TEST(ImageStem, KeepsEverythingElse) {
  EXPECT_EQ(image_stem("m31.cat.fits"), "m31.cat");
  EXPECT_EQ(image_stem("m31.fits.fits"), "m31.fits");
  EXPECT_EQ(image_stem("m31.gz"), "m31.gz");
  EXPECT_EQ(image_stem("m31"), "m31");
  EXPECT_EQ(image_stem(".fits"), ".fits");
  EXPECT_EQ(image_stem(".fits.gz"), ".fits.gz");
}

TEST(OutputPaths, AreNamedAfterTheImageAndTheHdu) {
  OutputConfig config;
  config.formats = {CatalogFormat::fits, CatalogFormat::csv};
  config.segmentation = true;
  EXPECT_THAT(output_paths("out", "data/m31.fits.fz", std::nullopt, config).all(),
              ElementsAre("out/m31.cat.fits", "out/m31.cat.csv", "out/m31.seg.fits", "out/m31.run.json"));
  config.segmentation = false;
  EXPECT_THAT(output_paths("out", "m31.fits", 3, config).all(),
              ElementsAre("out/m31.hdu3.cat.fits", "out/m31.hdu3.cat.csv", "out/m31.hdu3.run.json"));
}

TEST(DistinctOutputs, TheSameStemTwiceIsAnErrorThatNamesBoth) {
  EXPECT_THAT(testing::config_error([] {
                require_distinct_outputs({"a/m31.fits", "m33.fits", "b/m31.fit.gz"}, false);
              }),
              AllOf(HasSubstr("'a/m31.fits'"), HasSubstr("'b/m31.fit.gz'"), HasSubstr("--output-dir")));
  EXPECT_NO_THROW(require_distinct_outputs({"m31.fits", "M31.fits", "m31.cat.fits"}, false));
}

TEST(DistinctOutputs, AnHduNumberCanMakeTwoNamesEqual) {
  const std::vector<std::string> images = {"m31.hdu2.fits", "m31.fits"};
  EXPECT_NO_THROW(require_distinct_outputs(images, false));
  EXPECT_THAT(testing::config_error([&] { require_distinct_outputs(images, true); }),
              AllOf(HasSubstr("'m31.fits'"), HasSubstr("'m31.hdu2.fits'")));
  EXPECT_NO_THROW(
      require_distinct_outputs({"m31.hdu.fits", "m31.fits", "m31hdu2.fits", ".hdu7.fits", "12.fits"}, true));
}

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
