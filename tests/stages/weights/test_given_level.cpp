#include "stages/weights/given_level.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using ::testing::ElementsAre;
using ::testing::NanSensitiveFloatEq;
using testing::StageTest;

template <class Where>
class GivenLevelTest : public StageTest<Where> {};
TYPED_TEST_SUITE(GivenLevelTest, Backends);

TYPED_TEST(GivenLevelTest, IsSubtractedAndMasksWithTheVariance) {
  const float nan = std::nanf("");
  Pixels<TypeParam> pixels;
  Image<float, TypeParam> level;
  pixels.image.shape = pixels.variance.shape = level.shape = {3, 2};
  pixels.image.pixels = this->backend().put(std::vector<float>{10, nan, 12, 13, nan, 3e38F});
  pixels.variance.pixels = this->backend().put(std::vector<float>{1, nan, 3, 4, nan, 6});
  level.pixels = this->backend().put(std::vector<float>{1, 2, nan, -3.5F, nan, -3e38F});
  pixels.masked = this->backend().put_value(MaskCounts{.nan = 2});
  subtract_level(level, pixels, this->where());
  const auto is = [](float value) { return NanSensitiveFloatEq(value); };
  EXPECT_THAT(this->backend().get(pixels.image.pixels),
              ElementsAre(is(9), is(nan), is(nan), is(16.5F), is(nan), is(nan)));
  EXPECT_THAT(this->backend().get(pixels.variance.pixels),
              ElementsAre(is(1), is(nan), is(nan), is(4), is(nan), is(nan)));
  const MaskCounts counts = fetch(pixels.masked, this->where());
  EXPECT_EQ(counts.level, 1);
  EXPECT_EQ(counts.nan, 2);
}

TYPED_TEST(GivenLevelTest, ANumberIsAPlaneThatHasItInEveryPixel) {
  for (const double value : {0.0, -2.5, 1e-7, 851.25}) {
    const auto pixels = ingest(constant_source({5, 3}, value), this->where());
    for (const float pixel : this->backend().get(pixels.image.pixels)) EXPECT_EQ(pixel, static_cast<float>(value));
    EXPECT_EQ(fetch(pixels.masked, this->where()).total(), 0);
  }
}

}  // namespace
}  // namespace srcextract
