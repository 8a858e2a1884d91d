// The covariance of resampled noise, beside the covariance of many pixels of it.

#include "stages/difference/fit/resampled_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stages/difference/resample.hpp"

namespace srcextract {
namespace {

/// A grid whose pixels are `scale` pixels of another apart, turned by the angle whose sine is `sine`.
PixelMap turned(Shape shape, double scale, double sine) {
  PixelMap map(shape);
  const double cosine = std::sqrt(1 - sine * sine);
  for (std::int64_t node = 0; node < map.nodes.count(); ++node) {
    const auto x = static_cast<double>(node % map.nodes.width * PixelMap::step);
    const auto y = static_cast<double>(node / map.nodes.width * PixelMap::step);
    map.x.push_back(200.3 + scale * (cosine * x - sine * y));
    map.y.push_back(20.7 + scale * (sine * x + cosine * y));
  }
  return map;
}

TEST(ResampledNoise, IsThatOfManyPixels) {
  Image<float, Cpu> noise({900, 900}, Cpu{});
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (float& pixel : noise.pixels) pixel = normal(random);
  for (const Interpolation interpolation : {Interpolation::bilinear, Interpolation::lanczos3}) {
    for (const auto& [scale, sine] : {std::pair(0.5, 0.0), std::pair(0.73, 0.3), std::pair(1.0, 0.0)}) {
      const Shape shape{600, 600};
      const PixelMap map = turned(shape, scale, sine);
      const Image<float, Cpu> resampled = resample(noise, map, interpolation, Cpu{});
      const Square covariance = resampled_noise(map, interpolation);
      for (const auto& [dx, dy] :
           {std::pair(0, 0), std::pair(1, 0), std::pair(0, 1), std::pair(-1, 2), std::pair(3, 1)}) {
        double sum = 0, count = 0;
        for (std::int64_t y = 8; y < shape.height - 8; ++y) {
          for (std::int64_t x = 8; x < shape.width - 8; ++x) {
            const float one = resampled.pixels[y * shape.width + x];
            const float other = resampled.pixels[(y + dy) * shape.width + x + dx];
            if (!(one == one && other == other)) continue;
            sum += static_cast<double>(one) * static_cast<double>(other);
            ++count;
          }
        }
        EXPECT_NEAR(covariance.at(dx, dy), sum / count, 0.015) << scale << ", offset " << dx << ", " << dy;
        EXPECT_GT(count, 1e5);
      }
      double all = 0;
      for (const double value : covariance.values) all += value;
      EXPECT_NEAR(all, 1 / (scale * scale), 0.02 / (scale * scale)) << scale;
    }
  }
}

TEST(ResampledNoise, OfAShiftByWholePixelsIsIndependent) {
  PixelMap map({50, 40});
  for (std::int64_t node = 0; node < map.nodes.count(); ++node) {
    map.x.push_back(3 + static_cast<double>(node % map.nodes.width * PixelMap::step));
    map.y.push_back(static_cast<double>(node / map.nodes.width * PixelMap::step) - 2);
  }
  const Square covariance = resampled_noise(map, Interpolation::lanczos3);
  for (int y = -6; y <= 6; ++y)
    for (int x = -6; x <= 6; ++x) EXPECT_EQ(covariance.at(x, y), x == 0 && y == 0 ? 1 : 0);
}

}  // namespace
}  // namespace srcextract
