#include "stages/measure/fill_masked.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class Where>
class FillMasked : public StageTest<Where> {};
TYPED_TEST_SUITE(FillMasked, Backends);

/// Some masked, in every kind of row; 0 of both signs among the others.
std::vector<float> some_masked(const Shape& shape) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise(100, 3);
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < shape.count(); ++i)
    pixels.push_back(random() % 5 == 0 ? nan : random() % 7 == 0 ? -0.0F : noise(random));
  return pixels;
}

TYPED_TEST(FillMasked, WhatIsMaskedHasTheValueAndAllElseItsOwnBits) {
  for (const Shape shape : {Shape{1, 1}, Shape{31, 7}, Shape{640, 33}, Shape{1, 900}}) {
    const std::vector<float> pixels = some_masked(shape);
    const auto image = this->image(shape, pixels);
    std::vector<float> with_sky = pixels, with_zero = pixels;
    for (float& pixel : with_sky)
      if (std::isnan(pixel)) pixel = 17.25F;
    for (float& pixel : with_zero)
      if (std::isnan(pixel)) pixel = 0;
    const auto levels = testing::put_levels(this->backend(), 40, 17.25);
    EXPECT_TRUE(
        testing::same_bytes(this->backend().get(fill_with_background(image, levels, this->where()).pixels), with_sky));
    EXPECT_TRUE(testing::same_bytes(this->backend().get(fill_with_zero(image, this->where()).pixels), with_zero));
    EXPECT_TRUE(testing::same_bytes(this->backend().get(image.pixels), pixels));
  }
}

TYPED_TEST(FillMasked, SourcesThatAreNearMaskedPixelsElsewhereAreFlaggedHereAndNothingElseChanges) {
  constexpr std::size_t count = 700;
  std::vector<SourceSums> here(count), elsewhere(count);
  for (std::size_t i = 0; i < count; ++i) {
    here[i].npix = static_cast<std::int64_t>(i) + 1;
    here[i].near_masked = i % 2 == 0 ? 1 : 0;
    elsewhere[i].npix = 9;
    elsewhere[i].near_masked = i % 3 == 0 ? 1 : 0;
  }
  auto sums = this->backend().put(here);
  Components<TypeParam> components;
  components.counts = this->backend().put_value(ComponentCounts{count, count});
  add_near_masked(this->backend().put(elsewhere), components, sums, this->where());
  for (std::size_t i = 0; i < count; ++i)
    if (i % 3 == 0) here[i].near_masked = 1;
  EXPECT_EQ(this->backend().get(sums), here);
}

}  // namespace
}  // namespace srcextract
