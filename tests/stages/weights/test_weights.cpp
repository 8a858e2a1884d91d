#include "stages/weights/weights.hpp"

#include <cmath>
#include <random>
#include <tuple>

#include "stages/weights/noise_scale.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::nan;
using testing::StageTest;
using Pixels32 = std::vector<float>;

template <class Where>
class Weights : public StageTest<Where> {
 protected:
  struct Applied {
    Pixels32 image, variance;
    std::int64_t masked;
  };

  Applied apply(const Pixels32& image, const Pixels32& map, WeightType type, double threshold = 0) {
    const Shape shape{static_cast<std::int64_t>(image.size()), 1};
    Pixels<Where> pixels;
    pixels.image = this->image(shape, image);
    pixels.masked = this->backend().put_value(MaskCounts{});
    WeightsConfig config;
    config.type = type;
    config.threshold = threshold;
    apply_weights(this->image(shape, map), config, pixels, this->where());
    const MaskCounts counts = fetch(pixels.masked, this->where());
    EXPECT_EQ(counts.total(), counts.weight);
    return {this->backend().get(pixels.image.pixels), this->backend().get(pixels.variance.pixels), counts.weight};
  }
};
TYPED_TEST_SUITE(Weights, Backends);

/// Equal, masked pixels included.
void expect_pixels(const Pixels32& found, const Pixels32& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(found[i], expected[i]) << i;
    }
  }
}

TYPED_TEST(Weights, BecomeVariances) {
  const Pixels32 image{1, 2, 3};
  expect_pixels(this->apply(image, {2, 4, 0.5F}, WeightType::weight).variance, {0.5F, 0.25F, 2});
  expect_pixels(this->apply(image, {2, 4, 0.5F}, WeightType::variance).variance, {2, 4, 0.5F});
  expect_pixels(this->apply(image, {2, 4, 0.5F}, WeightType::rms).variance, {4, 16, 0.25F});
}

TYPED_TEST(Weights, MaskWhatTheySayNothingOf) {
  const Pixels32 image{1, 2, 3, 4, nan, nan};
  for (const WeightType type : {WeightType::weight, WeightType::variance, WeightType::rms}) {
    const auto applied = this->apply(image, {0, -1, nan, 1, 1, 0}, type);
    expect_pixels(applied.image, {nan, nan, nan, 4, nan, nan});
    expect_pixels(applied.variance, {nan, nan, nan, 1, nan, nan});
    EXPECT_EQ(applied.masked, 3);  // the others were masked before
  }
  // As variances these are beyond float32, or nothing is known of them.
  EXPECT_EQ(this->apply({1, 2}, {1e-39F, 1}, WeightType::weight).masked, 1);
  EXPECT_EQ(this->apply({1, 2, 3}, {1e20F, 1, 1e-30F}, WeightType::rms).masked, 2);
  EXPECT_EQ(this->apply({1, 2, 3}, {1e31F, 1e29F, 1e30F}, WeightType::variance).masked, 2);
}

TYPED_TEST(Weights, MaskWhatIsBeyondTheThreshold) {
  const Pixels32 image{1, 2, 3};
  expect_pixels(this->apply(image, {1, 2, 3}, WeightType::weight, 2).image, {nan, nan, 3});
  expect_pixels(this->apply(image, {1, 2, 3}, WeightType::variance, 2).image, {1, nan, nan});
  expect_pixels(this->apply(image, {1, 2, 3}, WeightType::rms, 2).image, {1, nan, nan});
}

TYPED_TEST(Weights, CompareWithAThresholdThatNoPixelEquals) {
  // As float, 0.1 is a little more, and 0.7 a little less.
  const float above_one = 0.1F, below_one = std::nextafter(above_one, 0.0F);
  const float below_seven = 0.7F, above_seven = std::nextafter(below_seven, 1.0F);
  for (const auto& [threshold, below, above] :
       {std::tuple(0.1, below_one, above_one), std::tuple(0.7, below_seven, above_seven)}) {
    ASSERT_TRUE(static_cast<double>(below) < threshold && threshold < static_cast<double>(above));
    expect_pixels(this->apply({1, 2}, {below, above}, WeightType::weight, threshold).image, {nan, 2});
    for (const WeightType noise : {WeightType::rms, WeightType::variance})
      expect_pixels(this->apply({1, 2}, {below, above}, noise, threshold).image, {1, nan});
  }
}

TYPED_TEST(Weights, BeyondTheThresholdAPixelMayKeepItsValueAndVariance) {
  const Pixels32 image{1, 2, 3, 4, nan}, stored{1, 2, 3, 0, 1};
  for (const WeightType type : {WeightType::weight, WeightType::variance, WeightType::rms}) {
    Pixels<TypeParam> pixels;
    pixels.image = this->image({5, 1}, image);
    pixels.masked = this->backend().put_value(MaskCounts{.nan = 1});
    WeightsConfig config;
    config.type = type;
    config.threshold = 2;
    config.beyond = BeyondThreshold::detect;
    apply_weights(this->image({5, 1}, stored), config, pixels, this->where());
    const bool is_weight = type == WeightType::weight;
    expect_pixels(this->backend().get(pixels.image.pixels),
                  is_weight ? Pixels32{nan, nan, 3, nan, nan} : Pixels32{1, nan, nan, nan, nan});
    expect_pixels(this->backend().get(pixels.kept.pixels), {1, 2, 3, nan, nan});
    expect_pixels(this->backend().get(pixels.variance.pixels), is_weight ? Pixels32{1, 0.5F, 1.0F / 3, nan, nan}
                                                               : type == WeightType::variance
                                                                   ? Pixels32{1, 2, 3, nan, nan}
                                                                   : Pixels32{1, 4, 9, nan, nan});
    EXPECT_EQ(fetch(pixels.masked, this->where()).weight, 3);
  }
}

TYPED_TEST(Weights, ThresholdsFollowTheVariance) {
  // Every pixel is 10; 2 above zero, five times the scaled noise of 0.5, 1, 2 and 4 is 4.5, 7, 12 and 22.
  Levels levels;
  levels.zero_point = 2;
  levels.in_noise = 5;
  levels.noise_scale = 0.5;
  const Shape shape{70, 3};
  Pixels32 variance(static_cast<std::size_t>(shape.count()), 64);
  variance[0] = 1;
  variance[35] = 4;
  variance[70 + 69] = 4;
  variance[140] = 16;
  variance[141] = nan;
  const auto runs = find_runs(this->image(shape, Pixels32(variance.size(), 10)), this->backend().put_value(levels),
                              this->image(shape, variance), this->where());
  const auto found = testing::get_runs(this->backend(), runs);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].begin, 0);
  EXPECT_EQ(found[0].end, 1);
  EXPECT_EQ(found[1].begin, 35);
  EXPECT_EQ(found[2].y, 1);
  EXPECT_EQ(found[2].end, 70);
}

template <class Where>
class NoiseScale : public StageTest<Where> {};
TYPED_TEST_SUITE(NoiseScale, Backends);

/// Noise of sigma 3 on the left and 6 on the right, and a map that says 2 and 8: it is to be multiplied by 4.5.
struct TwoHalves {
  Shape shape{512, 256};
  Pixels32 image, variance;

  TwoHalves() {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      const bool left = i % shape.width < shape.width / 2;
      image.push_back(static_cast<float>(100 + (left ? 3 : 6) * normal(random)));
      variance.push_back(left ? 2 : 8);
    }
  }
};

TYPED_TEST(NoiseScale, IsThatOfTheMeshes) {
  TwoHalves sky;
  // Pixels that are far off the sky tell nothing of it, whatever the map says of them.
  for (std::size_t i = 0; i < sky.image.size(); i += 37) {
    sky.image[i] = 5000;
    sky.variance[i] = 1000;
  }
  const auto image = this->image(sky.shape, sky.image), variance = this->image(sky.shape, sky.variance);
  BackgroundConfig config;
  const auto mesh = estimate_mesh(image, config, this->where());
  const double scale = fetch(noise_scale(image, variance, mesh.mesh, config, this->where()), this->where());
  EXPECT_NEAR(scale * scale, 4.5, 0.2);  // 64 meshes of 4096 pixels, of which the last digits of the clip are lost
}

TYPED_TEST(NoiseScale, IsThatOfOneSky) {
  Background sky, of_variance;
  sky.clipped.sigma = 6;
  of_variance.clipped.mean = 4;
  const auto scale_of = [&] {
    return fetch(noise_scale(this->backend().put_value(sky), this->backend().put_value(of_variance), this->where()),
                 this->where());
  };
  EXPECT_EQ(scale_of(), 3);
  sky.clipped.sigma = 0;
  EXPECT_EQ(scale_of(), 1);
}

TYPED_TEST(NoiseScale, IsOneWhereNothingTells) {
  const Shape shape{64, 64};
  const Pixels32 masked(4096, nan);
  const auto image = this->image(shape, masked), variance = this->image(shape, masked);
  BackgroundConfig config;
  config.mesh_size = 32;
  const auto mesh = estimate_mesh(image, config, this->where());
  EXPECT_EQ(mesh.mesh.rms.size(), 4);
  const double scale = fetch(noise_scale(image, variance, mesh.mesh, config, this->where()), this->where());
  EXPECT_EQ(scale, 1);
}

TYPED_TEST(NoiseScale, GoesIntoTheLevelsAndLeavesTheRest) {
  Levels levels;
  levels.sigma = 5;
  auto there = this->backend().put_value(levels);
  set_noise_scale(there, this->backend().put_value(2.5), this->where());
  levels.noise_scale = 2.5;
  EXPECT_EQ(fetch(there, this->where()), levels);
}

}  // namespace
}  // namespace srcextract
