// The variance that photons of a star add to its flux, beside the covariance of all pairs of pixels, written out.

#include "stages/difference/fit/own_photons.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace srcextract {
namespace {

Square oval(int half, double across, double along, double lean) {
  Square square{half, {}};
  for (int y = -half; y <= half; ++y)
    for (int x = -half; x <= half; ++x)
      square.values.push_back(std::exp(-(x * x / across - 2 * lean * x * y + y * y / along) / 2));
  return square;
}

/// Light after the kernel, as the sum of a kernel at each photon.
Square convolved(const Square& light, const Square& kernel, int half) {
  Square out{half, std::vector<double>(static_cast<std::size_t>((2 * half + 1) * (2 * half + 1)), 0)};
  for (int y = -half; y <= half; ++y)
    for (int x = -half; x <= half; ++x)
      for (int v = -light.half; v <= light.half; ++v)
        for (int u = -light.half; u <= light.half; ++u)
          out.values[static_cast<std::size_t>((y + half) * out.side() + x + half)] +=
              light.at(u, v) * kernel.at(x - u, y - v);
  return out;
}

/// The covariance of two pixels, if each photon of `light` spreads as the kernel.
double covariance(const Square& light, const Square& kernel, int x1, int y1, int x2, int y2) {
  double sum = 0;
  for (int v = -light.half; v <= light.half; ++v)
    for (int u = -light.half; u <= light.half; ++u)
      sum += light.at(u, v) * kernel.at(x1 - u, y1 - v) * kernel.at(x2 - u, y2 - v);
  return sum;
}

/// Means of 3 x 3 pixels.
Square smoothed(const Square& square) {
  Square out = square;
  for (int y = -square.half; y <= square.half; ++y) {
    for (int x = -square.half; x <= square.half; ++x) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) sum += square.at(x + k % 3 - 1, y + k / 3 - 1);
      out.values[static_cast<std::size_t>((y + square.half) * square.side() + x + square.half)] = sum / 9;
    }
  }
  return out;
}

TEST(OwnPhotons, AreTheCovarianceOfAllPairsLessTheMapOfNoise) {
  const Square sharp = oval(4, 1.5, 2.5, 0.2), kernel = oval(3, 1.2, 0.8, -0.3), filter = oval(3, 2, 3, 0.1);
  const Square shape = convolved(sharp, kernel, 6), spread = smoothed(sharp), other = smoothed(shape);
  double scale = 0, true_convolved = 0, said_convolved = 0, true_other = 0, said_other = 0;
  for (int y = -3; y <= 3; ++y) {
    for (int x = -3; x <= 3; ++x) {
      const double f = filter.at(x, y);
      scale += f * shape.at(x, y);
      true_other += f * f * shape.at(x, y);
      said_other += f * f * other.at(x, y);
      said_convolved += f * f * covariance(spread, kernel, x, y, x, y);
      for (int v = -3; v <= 3; ++v)
        for (int u = -3; u <= 3; ++u) true_convolved += f * filter.at(u, v) * covariance(sharp, kernel, x, y, u, v);
    }
  }
  const OwnPhotons own = own_photons(filter, shape, sharp, {1, 1, kernel});
  const double unit = scale * scale;
  EXPECT_NEAR(own.of_other, (true_other - said_other) / unit, 1e-9 * true_other / unit);
  EXPECT_NEAR(own.of_convolved, (true_convolved - said_convolved) / unit, 1e-9 * true_convolved / unit);
  EXPECT_NEAR(own.counted_of_other, said_other / unit, 1e-9 * said_other / unit);
  EXPECT_NEAR(own.counted_of_convolved, said_convolved / unit, 1e-9 * said_convolved / unit);
  EXPECT_GT(own.of_convolved, 2 * own.of_other);  // kernels of real frames spread photons over many pixels
}

TEST(OwnPhotons, OfAKernelOfOnePixelAreThoseOfTheOtherFrame) {
  const Square star = moffat_of(3.1), filter = oval(6, 2, 2, 0);
  const OwnPhotons own = own_photons(filter, star, star, {1, 1, {0, {1}}});
  EXPECT_NEAR(own.of_convolved, own.of_other, 1e-12);
  EXPECT_GT(own.of_other, 0);
}

TEST(Moffat, HasItsWidth) {
  const Square star = moffat_of(4);
  EXPECT_NEAR(star.at(2, 0) / star.at(0, 0), 0.5, 1e-12);
  EXPECT_NEAR(star.at(0, -4) / star.at(0, 0), std::pow(1 + 4 * (std::cbrt(2.0) - 1), -3), 1e-12);
  double sum = 0;
  for (const double value : star.values) sum += value;
  EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace srcextract
