// The noise of a frame: that which was put into it, also where pixels are whole numbers of few counts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stages/difference/fit/frame_level.hpp"

namespace srcextract {
namespace {

constexpr Shape shape{512, 384};

Image<float, Cpu> noise(double sky, double sigma, bool whole, const Shape& of = shape) {
  Image<float, Cpu> image(of, Cpu{});
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(sky, sigma);
  for (float& pixel : image.pixels) {
    const double value = normal(random);
    pixel = static_cast<float>(whole ? std::round(value) : value);
  }
  return image;
}

TEST(FrameLevelTest, IsTheSkyAndItsNoise) {
  const FrameLevel level = measure_level(noise(1000, 12.5, false), {2, 0}, Cpu{});
  EXPECT_NEAR(level.sky, 1000, 0.3);
  EXPECT_NEAR(std::sqrt(level.variance), 12.5, 0.4);
  EXPECT_EQ(level.variance_per_count, 0.5F);
}

TEST(FrameLevelTest, WholeNumbersHaveTheNoiseOfTheirPixels) {
  for (const double sigma : {0.4, 0.6, 0.9, 1.3, 2.0, 5.0}) {
    // Rounding adds the variance of a number that is anywhere within a unit.
    const double own = std::sqrt(sigma * sigma + 1.0 / 12);
    const FrameLevel level = measure_level(noise(200.3, sigma, true), {}, Cpu{});
    EXPECT_NEAR(std::sqrt(level.variance) / own, 1, sigma < 0.5 ? 0.1 : 0.06)
        << sigma;  // steps of a unit are no normal distribution
    EXPECT_NEAR(level.sky, 200.3, 0.1) << sigma;
  }
}

TEST(FrameLevelTest, IsFoundInThinFramesAndAmongMaskedPixels) {
  EXPECT_NEAR(std::sqrt(measure_level(noise(1000, 12.5, false, {2000, 40}), {}, Cpu{}).variance), 12.5, 0.5);
  Image<float, Cpu> masked = noise(1000, 12.5, false, {1600, 1600});
  std::mt19937_64 random(8);
  for (float& pixel : masked.pixels)
    if (random() % 4 != 0) pixel = masked_pixel;
  EXPECT_NEAR(std::sqrt(measure_level(masked, {}, Cpu{}).variance), 12.5, 0.4);
}

TEST(FrameLevelTest, AGreatestValueThatPixelsShareIsTheirSaturation) {
  Image<float, Cpu> image = noise(1000, 12.5, false);
  const auto limit_with = [](int saturated, float value) {
    Image<float, Cpu> own = noise(1000, 12.5, false);
    std::fill_n(own.pixels.begin() + 7000, saturated, value);
    return measure_level(own, {}, Cpu{}).limit;
  };
  EXPECT_EQ(limit_with(5, 60000), 54000);
  EXPECT_TRUE(std::isinf(limit_with(4, 60000)));  // as bright stars have it by chance
  EXPECT_TRUE(std::isinf(limit_with(5, 2000)));   // too faint for a star that saturates
  EXPECT_EQ(measure_level(image, {.greatest = 60000.0F}, Cpu{}).limit, 54000);
}

TEST(FrameLevelTest, EqualPixelsHaveNoNoise) {
  for (const float value : {200.0F, 200.5F}) {
    Image<float, Cpu> image(shape, Cpu{});
    std::fill(image.pixels.begin(), image.pixels.end(), value);
    EXPECT_EQ(measure_level(image, {}, Cpu{}).variance, 0);
  }
}

TEST(FrameLevelTest, AMapTellsTheNoiseOfEveryPixel) {
  // The right half has three times the noise of the left half; the map has variances in units of 5 square counts.
  Image<float, Cpu> image = noise(1000, 12.5, false), map(shape, Cpu{});
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const bool is_noisy = i % shape.width >= shape.width / 2;
    if (is_noisy) image.pixels[i] = 1000 + 3 * (image.pixels[i] - 1000);
    map.pixels[i] = (is_noisy ? 9 : 1) * 12.5F * 12.5F / 5;
  }
  map.pixels[7] = image.pixels[7] = masked_pixel;
  const FrameLevel ratios = measure_level(image, {.rescales = true}, Cpu{}, &map);
  EXPECT_NEAR(std::sqrt(ratios.sky_variance(0)), 12.5, 0.3);
  EXPECT_NEAR(std::sqrt(ratios.sky_variance(shape.width - 1)), 37.5, 0.9);
  EXPECT_EQ(ratios.sky_variance(7), ratios.variance);
  EXPECT_GT(ratios.variance, 0);
  const FrameLevel absolute = measure_level(image, {}, Cpu{}, &map);
  EXPECT_EQ(absolute.sky_variance(0), 12.5F * 12.5F / 5);
}

TEST(FrameLevelTest, IsTheSameOnAnyNumberOfThreads) {
  const Image<float, Cpu> image = noise(200.3, 1.3, true);
  const FrameLevel one = measure_level(image, {}, Cpu{1}), eight = measure_level(image, {}, Cpu{8});
  EXPECT_EQ(one.variance, eight.variance);
  EXPECT_EQ(one.sky, eight.sky);
}

}  // namespace
}  // namespace srcextract
