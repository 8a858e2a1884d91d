// The filter of least noise: it solves the equations of a matched filter in correlated noise, written out pixel by
// pixel.

#include <gtest/gtest.h>

#include <cmath>

#include "stages/difference/fit/whitening.hpp"

namespace srcextract {
namespace {

Square gaussian(int half, double across, double along, double lean = 0) {
  Square square{half, {}};
  double sum = 0;
  for (int y = -half; y <= half; ++y)
    for (int x = -half; x <= half; ++x) {
      const double u = x / across, v = y / along;
      square.values.push_back(std::exp(-(u * u - 2 * lean * u * v + v * v) / 2));
      sum += square.values.back();
    }
  for (double& value : square.values) value /= sum;
  return square;
}

/// The covariance of two pixels of the noise, this far apart.
double covariance(const DifferenceNoise& noise, int dx, int dy) {
  double sum = dx == 0 && dy == 0 ? noise.white : 0;
  const int half = noise.kernel.half;
  for (int y = -half; y <= half; ++y)
    for (int x = -half; x <= half; ++x)
      sum += noise.convolved * noise.kernel.at(x, y) * noise.kernel.at(x + dx, y + dy);
  return sum;
}

TEST(Whitening, LeavesTheShapeWhereTheNoiseIsWhite) {
  const Square shape = gaussian(9, 1.5, 1.2, 0.3), point{0, {1}};
  for (const DifferenceNoise& noise : {DifferenceNoise{4, 0, gaussian(8, 2, 2)}, DifferenceNoise{1, 7, point}}) {
    const Square filter = whiten({shape}, noise, 7, Cpu{}).front();
    for (int y = -7; y <= 7; ++y)
      for (int x = -7; x <= 7; ++x) EXPECT_NEAR(filter.at(x, y), shape.at(x, y), 1e-14);
    EXPECT_NEAR(correlation_of(filter, noise), 1, 1e-12);
  }
}

/// The filter f of largest signal to noise solves C f = p, with the covariance C and the shape p (Turin 1960).
TEST(Whitening, SolvesTheEquationsOfTheMatchedFilter) {
  const DifferenceNoise noise{1, 3, gaussian(8, 1.4, 1.7, -0.2)};
  const Square shape = gaussian(12, 1.8, 1.5, 0.1);
  const Square filter = whiten({shape}, noise, 16, Cpu{}).front();
  const double unit = covariance(noise, 0, 0), peak = shape.at(0, 0);
  for (int y = -4; y <= 4; ++y) {
    for (int x = -4; x <= 4; ++x) {
      double sum = 0;
      for (int v = -16; v <= 16; ++v)
        for (int u = -16; u <= 16; ++u) sum += covariance(noise, x - u, y - v) / unit * filter.at(u, v);
      EXPECT_NEAR(sum, shape.at(x, y), 1e-6 * peak);
    }
  }
}

/// Noise of pixels that were smoothed before: of the frame to convolve, and of the other.
TEST(Whitening, KnowsTheNoiseThatPixelsShare) {
  const Square kernel = gaussian(6, 1.1, 1.3), smooth = gaussian(3, 0.8, 1.2), filter = gaussian(7, 1.6, 1.2);
  Square shared{6, {}}, both{9, {}};
  for (int y = -6; y <= 6; ++y)
    for (int x = -6; x <= 6; ++x) shared.values.push_back(covariance({0, 1, smooth}, x, y));
  for (int y = -9; y <= 9; ++y)
    for (int x = -9; x <= 9; ++x) {
      both.values.push_back(0);
      for (int v = -3; v <= 3; ++v)
        for (int u = -3; u <= 3; ++u) both.values.back() += smooth.at(u, v) * kernel.at(x - u, y - v);
    }
  const double variance = shared.at(0, 0);
  const DifferenceNoise convolved{0, 5 * variance, kernel, nullptr, &shared}, before{0, 5, both};
  EXPECT_NEAR(convolved.variance_of_pixel(), before.variance_of_pixel(), 1e-9 * before.variance_of_pixel());
  EXPECT_NEAR(correlation_of(filter, convolved), correlation_of(filter, before), 1e-9);
  const DifferenceNoise other{5 * variance, 0, kernel, &shared}, smoothed{0, 5, smooth};
  EXPECT_NEAR(other.variance_of_pixel(), smoothed.variance_of_pixel(), 1e-9);
  EXPECT_NEAR(correlation_of(filter, other), correlation_of(filter, smoothed), 1e-9);
}

TEST(Whitening, KnowsTheNoiseOfAFilteredSky) {
  const DifferenceNoise noise{2, 5, gaussian(6, 1.1, 1.3)};
  const Square filter = gaussian(7, 1.6, 1.2);
  double sum = 0, independent = 0;
  for (int y = -7; y <= 7; ++y)
    for (int x = -7; x <= 7; ++x) {
      independent += filter.at(x, y) * filter.at(x, y) * covariance(noise, 0, 0);
      for (int v = -7; v <= 7; ++v)
        for (int u = -7; u <= 7; ++u) sum += filter.at(x, y) * filter.at(u, v) * covariance(noise, x - u, y - v);
    }
  EXPECT_NEAR(correlation_of(filter, noise), sum / independent, 1e-12);
  EXPECT_GT(sum / independent, 1.2);
}

}  // namespace
}  // namespace srcextract
