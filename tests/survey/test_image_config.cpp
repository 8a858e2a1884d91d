#include "survey/image_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::StartsWith;

// The hash of Python's one-line FNV-1a over the output of `srcextract --dump-config` without --set.
TEST(ImageConfig, HasTheHashOfItsText) {
  const auto first = make_image_config(Config{});
  EXPECT_EQ(first->yaml, dump_config(Config{}));
  EXPECT_EQ(first->hash, "a0f795012b7431dc");
}

TEST(ImageConfig, AnotherConfigurationHasAnotherHash) {
  Config config;
  config.detection.threshold = 4.5;
  EXPECT_NE(make_image_config(config)->hash, make_image_config(Config{})->hash);
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
