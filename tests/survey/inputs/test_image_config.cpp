#include "survey/inputs/image_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::StartsWith;

// The hash of Python's one-line FNV-1a over the output of `srcextract --dump-config` without --set.
TEST(ImageConfig, HasTheHashOfItsText) {
  const auto first = make_image_config(Config{});
  EXPECT_EQ(first->yaml, dump_config(Config{}));
  EXPECT_EQ(first->hash, "bcf1be4ced86412c");
}

TEST(ImageConfig, AnotherConfigurationHasAnotherHash) {
  Config config;
  config.detection.threshold = 4.5;
  EXPECT_NE(make_image_config(config)->hash, make_image_config(Config{})->hash);
}

TEST(ImageConfig, HasTheKernelThatIsInAFile) {
  const testing::TemporaryFolder folder;
  Config config;
  config.convolve.kernel = KernelShape::file;
  config.convolve.file = folder.write("k.conv", "CONV NONORM\n# three\n1 2 1\n");
  const auto first = make_image_config(config);
  EXPECT_EQ(first->config.convolve.kernel, KernelShape::values);
  EXPECT_EQ(first->config.convolve.values, (std::vector<std::vector<double>>{{1, 2, 1}}));
  EXPECT_FALSE(first->config.convolve.normalize);
  EXPECT_EQ(parse_config(first->yaml, "x.yaml").convolve, first->config.convolve);
  folder.write("k.conv", "CONV NONORM\n1 3 1\n");
  EXPECT_NE(make_image_config(config)->hash, first->hash);
}

TEST(ImageConfig, SaysWhereItAsksForAKernelThatIsNone) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write("even.conv", "CONV NORM\n1 2\n");
  const Config config = parse_config("convolve:\n  kernel: file\n  file: '" + path + "'\n", "x.yaml");
  EXPECT_THAT(testing::config_error([&] { make_image_config(config); }),
              StartsWith("x.yaml:3:9: the kernel in " + path + " must have odd sides, not 2 x 1"));
  folder.write("even.conv", "CONV\n1 2 1\n");
  EXPECT_THAT(testing::config_error([&] { make_image_config(config); }),
              StartsWith("x.yaml:3:9: the kernel in " + path + " begins with CONV alone; write CONV NORM"));
}

TEST(ImageConfig, ChangesWithTheFilesThatItCombines) {
  const testing::TemporaryFolder folder;
  Config config;
  config.combine.method = CombineMethod::mean;
  config.combine.files = {folder.write("b.fits", "one")};
  const std::string before = make_image_config(config)->hash;
  EXPECT_EQ(make_image_config(config)->hash, before);
  folder.write("b.fits", "longer");
  EXPECT_NE(make_image_config(config)->hash, before);
}

TEST(ImageConfig, ANetworkIsReadAndStaysNamed) {
  const testing::TemporaryFolder folder;
  Config config;
  config.measurement.nnw = folder.write("a.nnw", "NNW\n3 10 10 1\n");
  EXPECT_THAT(testing::config_error([&] { make_image_config(config); }), ::testing::HasSubstr("the file ends"));
  std::string text = "NNW\n3 10 10 1\n";
  for (int i = 0; i < 143; ++i) text += "0.5\n";
  folder.write("a.nnw", text);
  const auto first = make_image_config(config);
  EXPECT_EQ(first->config.resources.numbers_of("measurement.nnw")->size(), 143U);
  EXPECT_EQ(first->config.measurement.nnw, config.measurement.nnw);
  EXPECT_EQ(first->yaml.find("0.5, 0.5"), std::string::npos);
  folder.write("a.nnw", text + "# more\n");
  EXPECT_NE(make_image_config(config)->hash, first->hash);
}

TEST(ConfigVariants, AKernelsFileCanBeASetting) {
  const testing::TemporaryFolder folder;
  Config config;
  config.convolve.kernel = KernelShape::file;
  config.convolve.file = folder.write("a.conv", "CONV NORM\n1\n");
  ConfigVariants configs(config);
  const std::string other = folder.write("b.conv", "CONV NORM\n2 3 2\n");
  EXPECT_EQ(configs.with({"convolve.file=" + other})->config.convolve.values.front().size(), 3u);
}

TEST(ConfigVariants, SettingsAreAppliedToTheConfiguration) {
  Config config;
  config.detection.min_area = 7;
  ConfigVariants configs(config);
  EXPECT_EQ(configs.with({})->yaml, dump_config(config));
  config.detection.threshold = 4.5;
  EXPECT_EQ(configs.with({"detection.threshold=4.5"})->yaml, dump_config(config));
}

TEST(ConfigVariants, EqualOnesAreOne) {
  ConfigVariants configs{Config{}};
  const auto first = configs.with({"detection.threshold=4.5"});
  EXPECT_EQ(configs.with({"detection.threshold=4.5"}), first);
  EXPECT_EQ(configs.with({"detection.threshold=4.50"}), first);
  EXPECT_NE(configs.with({"detection.threshold=4.6"}), first);
  EXPECT_EQ(configs.with({"detection.threshold=5"}), configs.with({}));
}

TEST(ConfigVariants, AMistakeIsThatOfTheSetting) {
  ConfigVariants configs{Config{}};
  EXPECT_THAT(testing::config_error([&] { configs.with({"detection.threshold=-1"}); }),
              StartsWith("--set detection.threshold=-1: 'detection.threshold' must be greater than 0"));

  Config config;
  config.detection.threshold = -3;
  config.detection.threshold_unit = ThresholdUnit::absolute;
  ConfigVariants absolute(config);
  EXPECT_THAT(testing::config_error([&] { absolute.with({"detection.threshold_unit=sigma"}); }),
              StartsWith("--set detection.threshold_unit=sigma: 'detection.threshold' must be greater than 0, not -3"));
}

}  // namespace
}  // namespace srcextract
