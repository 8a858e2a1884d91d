#include "stages/measure/shared_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "stages/convolve/kernel.hpp"
#include "stages/measure/aperture_noise.hpp"

namespace srcextract {
namespace {

using Rows = std::vector<std::vector<double>>;

Rows gaussian(double sigma, int half) {
  Rows rows;
  for (int y = -half; y <= half; ++y) {
    rows.emplace_back();
    for (int x = -half; x <= half; ++x) rows.back().push_back(std::exp(-(x * x + y * y) / (2 * sigma * sigma)));
  }
  return rows;
}

Rows convolved(const Rows& a, const Rows& b) {
  Rows sum(a.size() + b.size() - 1, std::vector<double>(a[0].size() + b[0].size() - 1, 0));
  for (std::size_t y = 0; y < a.size(); ++y)
    for (std::size_t x = 0; x < a[0].size(); ++x)
      for (std::size_t v = 0; v < b.size(); ++v)
        for (std::size_t u = 0; u < b[0].size(); ++u) sum[y + v][x + u] += a[y][x] * b[v][u];
  return sum;
}

double noise_after(const Rows& weights) {
  double sum = 0;
  for (const std::vector<double>& row : weights)
    for (const double weight : row) sum += weight * weight;
  return std::sqrt(sum);
}

TEST(SharedNoise, IsAsWideAsWhatSmoothedThePixels) {
  for (const double kernel_sigma : {0.8, 1.3}) {
    const Rows kernel = gaussian(kernel_sigma, 4);
    for (const double smoothing : {0.7, 1.0, 2.0}) {
      const Rows smoothed = gaussian(smoothing, 9);
      const double factor = noise_after(convolved(smoothed, kernel)) / noise_after(smoothed) / noise_after(kernel);
      EXPECT_NEAR(shared_noise_width(kernel_of_values(kernel, false), factor), smoothing, 0.03);
    }
  }
}

TEST(SharedNoise, IsNoneOfIndependentPixelsAndOfKernelsThatCannotTell) {
  const Kernel kernel = kernel_of_values(gaussian(1, 3), true);
  EXPECT_EQ(shared_noise_width(kernel, 1.02), 0);
  EXPECT_EQ(shared_noise_width(kernel, 0.6), 0);
  EXPECT_EQ(shared_noise_width(kernel, std::nan("")), 0);
  EXPECT_EQ(shared_noise_width(kernel_of_values({{-1, 4, -1}}, true), 2), 0);
  EXPECT_LE(shared_noise_width(kernel, 1000), 8);
}

TEST(SharedNoise, MakesWideSumsScatterByTheAreaOfTheCorrelation) {
  const double width = 2, area = 4 * std::numbers::pi * width * width;
  EXPECT_NEAR(NoiseLaw{.width = width}.variance_factor(1e6), area, 0.001 * area);
  EXPECT_NEAR(NoiseLaw{.width = 0.2}.variance_factor(100), 1, 0.01);
  EXPECT_EQ(NoiseLaw{.width = width}.factor(0), 1);
}

}  // namespace
}  // namespace srcextract
