#include "survey/inputs/output_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "survey/inputs/image_config.hpp"
#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ImageStem, DropsTheEndingsOfFitsInAnyCase) {
  for (const char* name :
       {"m31.fits", "m31.fit", "m31.fts", "m31.FITS", "m31.fits.fz", "m31.fits.gz", "m31.Fits.GZ", "m31.fit.gz"})
    EXPECT_EQ(image_stem(name), "m31") << name;
}

TEST(ImageStem, KeepsTheDirectory) {
  EXPECT_EQ(image_stem("night 1/m31.fits"), "night 1/m31");
  EXPECT_EQ(image_stem("night1.fits/m31.fits.fz"), "night1.fits/m31");
  EXPECT_EQ(image_stem("night1.fits/m31"), "night1.fits/m31");
}

TEST(ImageStem, KeepsEverythingElse) {
  for (const char* name : {"m31.gz", "m31", ".fits", ".fits.gz", "night1/.fits", "night1/.fits.gz", "m31.fits/", ""})
    EXPECT_EQ(image_stem(name), name);
  EXPECT_EQ(image_stem("m31.cat.fits"), "m31.cat");
  EXPECT_EQ(image_stem("m31.fits.fits"), "m31.fits");
}

TEST(OutputPaths, AreNamedAfterTheImageAndTheHdu) {
  OutputConfig config;
  config.formats = {CatalogFormat::fits, CatalogFormat::csv};
  config.segmentation = true;
  EXPECT_THAT(output_paths("out", "night1/m31.fits.fz", std::nullopt, config).all(),
              ElementsAre("out/night1/m31.cat.fits", "out/night1/m31.cat.csv", "out/night1/m31.seg.fits",
                          "out/night1/m31.run.json"));
  config.segmentation = false;
  config.check_images = {CheckImage::minus_background};
  const auto check_image = [&](ImageCompression packed) {
    config.check_compression = packed;
    return output_paths("out", "m31.fits.gz", std::nullopt, config).check_images.front().second;
  };
  EXPECT_EQ(check_image(ImageCompression::none), "out/m31.minus_background.fits");
  EXPECT_EQ(check_image(ImageCompression::gzip), "out/m31.minus_background.fits.gz");
  EXPECT_EQ(check_image(ImageCompression::tiles), "out/m31.minus_background.fits.fz");
  config.check_images = {};
  config.alerts = {AlertFormat::parquet, AlertFormat::avro};
  EXPECT_THAT(output_paths("out", "m31.diff", std::nullopt, config).all(),
              ElementsAre("out/m31.diff.cat.fits", "out/m31.diff.cat.csv", "out/m31.diff.alerts.parquet",
                          "out/m31.diff.alerts.avro", "out/m31.diff.run.json"));
  config.alerts = {};
  EXPECT_THAT(output_paths("out", "m31.fits", 3, config).all(),
              ElementsAre("out/m31.hdu3.cat.fits", "out/m31.hdu3.cat.csv", "out/m31.hdu3.run.json"));
}

TEST(OutputNames, AreThoseOfFitsFilesThatTheProgramWrites) {
  OutputConfig config;
  config.segmentation = true;
  const OutputPaths paths = output_paths("", "night1/m31.fits", 2, config);
  EXPECT_TRUE(is_output_name(paths.catalogs[0].second));
  EXPECT_TRUE(is_output_name(paths.segmentation));
  for (const auto packed : {ImageCompression::none, ImageCompression::gzip, ImageCompression::tiles}) {
    config.check_images = {CheckImage::minus_background, CheckImage::rms};
    config.check_compression = packed;
    for (const auto& [image, path] : output_paths("", "m31.fits.gz", std::nullopt, config).check_images)
      EXPECT_TRUE(is_output_name(path)) << path;
  }
  EXPECT_FALSE(is_output_name("m31.fits"));
  EXPECT_FALSE(is_output_name("rms.fits.gz"));
  EXPECT_FALSE(is_output_name("m31cat.fits"));
}

class DistinctOutputs : public ::testing::Test {
 protected:
  static void check(const std::vector<std::string>& names, const std::string& hdu = "auto") {
    Config config;
    config.input.hdu = hdu;
    const auto shared = make_image_config(config);
    ImageFiles files;
    for (const std::string& name : names) files.push_back({.path = "", .name = name, .config = shared});
    require_distinct_outputs(files, [&](std::size_t i) { return "'" + names[i] + "'"; });
  }
};

TEST_F(DistinctOutputs, TheSameStemTwiceIsAnErrorThatNamesBoth) {
  EXPECT_THAT(
      testing::config_error([] {
        check({"a/m31.fits", "m33.fits", "a/m31.fit.gz"});
      }),
      AllOf(HasSubstr("'a/m31.fits' and 'a/m31.fit.gz'"), HasSubstr("a/m31.run.json"), HasSubstr("--output-dir")));
  EXPECT_NO_THROW(check({"m31.fits", "M31.fits", "m31.cat.fits", "a/m31.fits", "b/m31.fits"}));
}

TEST_F(DistinctOutputs, AnHduNumberCanMakeTwoNamesEqual) {
  EXPECT_NO_THROW(check({"m31.hdu2.fits", "m31.fits"}));
  EXPECT_THAT(testing::config_error([] {
                check({"m31.hdu2.fits", "m31.fits"}, "all");
              }),
              HasSubstr("'m31.fits' and 'm31.hdu2.fits' would write the same output files, m31.hdu2.run.json"));
  EXPECT_NO_THROW(
      check({"m31.hdu.fits", "m31.fits", "m31hdu2.fits", ".hdu7.fits", "12.fits", "a/m31.hdu2.fits"}, "all"));
}

TEST_F(DistinctOutputs, OnlyTheFileWithSeveralImagesHasNumbersInItsNames) {
  Config all;
  all.input.hdu = "all";
  const auto of_all = make_image_config(all);
  const auto of_one = make_image_config(Config{});
  const auto check_with = [](const auto& numbered, const auto& plain) {
    require_distinct_outputs(
        {{.path = "", .name = "m31.hdu2.fits", .config = numbered}, {.path = "", .name = "m31.fits", .config = plain}},
        [](std::size_t i) { return std::to_string(i); });
  };
  EXPECT_NO_THROW(check_with(of_all, of_one));
  EXPECT_THAT(testing::config_error([&] { check_with(of_one, of_all); }), HasSubstr("1 and 0"));
}

}  // namespace
}  // namespace srcextract
