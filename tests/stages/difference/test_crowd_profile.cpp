// The shape of the stars of a crowd, found by the autocorrelation of a frame of Gaussian stars at random places.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "stages/difference/fit/crowd_profile.hpp"
#include "stages/difference/fit/frame_level.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fit_scene.hpp"

namespace srcextract {
namespace {

constexpr double fwhm_of_sigma = 2.3548200450309493;
constexpr Shape frame_shape{512, 480};

/// A frame of `stars` Gaussian stars with this sigma, in noise of sigma 1.
Image<float, Cpu> crowd_of(int stars, double sigma, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::normal_distribution<float> noise(100, 1);
  std::vector<float> pixels(static_cast<std::size_t>(frame_shape.count()), 0);
  for (int star = 0; star < stars; ++star) {
    const double x = unit(generator) * static_cast<double>(frame_shape.width),
                 y = unit(generator) * static_cast<double>(frame_shape.height);
    testing::add_gaussian(pixels, frame_shape, x, y, std::pow(10, 2 + 2 * unit(generator)), sigma * sigma);
  }
  Image<float, Cpu> image(frame_shape, Cpu{});
  for (std::size_t i = 0; i < pixels.size(); ++i)
    image.pixels[static_cast<std::int64_t>(i)] = pixels[i] + noise(generator);
  return image;
}

LevelledFrame levelled(const Image<float, Cpu>& image) {
  return {image, measure_level(image, {}, Cpu{2})};
}

TEST(CrowdProfile, IsThatOfTheStarsHoweverDenseTheyAre) {
  for (const int stars : {1000, 6000}) {
    for (const double sigma : {1.3, 2.0}) {
      const Image<float, Cpu> image = crowd_of(stars, sigma, 7);
      const std::optional<CrowdProfile> found =
          profile_of_crowd(levelled(image), 1.1 * fwhm_of_sigma * sigma, 12, Cpu{2});
      ASSERT_TRUE(found);
      EXPECT_NEAR(found->fwhm / (fwhm_of_sigma * sigma), 1, 0.06) << stars << " " << sigma;
      // The flux that this shape measures of a star of flux 1.
      double product = 0, square = 0;
      for (int y = -12; y <= 12; ++y) {
        for (int x = -12; x <= 12; ++x) {
          const double truth =
              std::exp(-(x * x + y * y) / (2 * sigma * sigma)) / (2 * 3.14159265358979 * sigma * sigma);
          product += truth * found->shape.at(x, y);
          square += found->shape.at(x, y) * found->shape.at(x, y);
        }
      }
      EXPECT_NEAR(product / square, 1, 0.03) << stars << " " << sigma;
      EXPECT_LT(std::abs(product / square - 1), 4 * found->scale_error + 0.005);
      EXPECT_LT(found->scale_error, 0.05);
    }
  }
}

TEST(CrowdProfile, IsTheSameOnAnyNumberOfThreads) {
  const Image<float, Cpu> image = crowd_of(3000, 1.6, 3);
  const std::optional<CrowdProfile> one = profile_of_crowd(levelled(image), 4, 10, Cpu{1}),
                                    three = profile_of_crowd(levelled(image), 4, 10, Cpu{3});
  ASSERT_TRUE(one && three);
  EXPECT_EQ(one->shape.values, three->shape.values);
  EXPECT_EQ(one->scale_error, three->scale_error);
}

TEST(CrowdProfile, IsNoneOfSourcesThatAreWiderThanStars) {
  const Image<float, Cpu> image = crowd_of(3000, 3.0, 5);
  EXPECT_FALSE(profile_of_crowd(levelled(image), 4, 10, Cpu{2}));
}

TEST(CrowdProfile, IsNoneOfMaskedPixels) {
  Image<float, Cpu> image(frame_shape, Cpu{});
  std::ranges::fill(image.pixels, testing::nan);
  EXPECT_FALSE(profile_of_crowd(levelled(image), 4, 10, Cpu{2}));
}

}  // namespace
}  // namespace srcextract
