#include <gtest/gtest.h>

#include "survey/inputs.hpp"

namespace srcextract {
namespace {

// The hash of Python's one-line FNV-1a over the output of `srcextract --dump-config` without --set.
TEST(ImageConfig, HasTheHashOfItsText) {
  const auto first = make_image_config(Config{});
  EXPECT_EQ(first->yaml, dump_config(Config{}));
  EXPECT_EQ(first->hash, "83336a03f26dde6c");
}

TEST(ImageConfig, AnotherConfigurationHasAnotherHash) {
  Config config;
  config.detection.threshold = 4.5;
  EXPECT_NE(make_image_config(config)->hash, make_image_config(Config{})->hash);
}

}  // namespace
}  // namespace srcextract
