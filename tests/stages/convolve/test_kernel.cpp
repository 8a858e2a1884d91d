#include "stages/convolve/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/config_error.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ConvolveConfig shape(KernelShape kernel) {
  ConvolveConfig config;
  config.kernel = kernel;
  return config;
}

ConvolveConfig gaussian(double sigma) {
  ConvolveConfig config = shape(KernelShape::gaussian);
  config.sigma = sigma;
  return config;
}

ConvolveConfig values(std::vector<std::vector<double>> rows, bool normalize = false) {
  ConvolveConfig config = shape(KernelShape::values);
  config.values = std::move(rows);
  config.normalize = normalize;
  return config;
}

float at(const Kernel& kernel, int x, int y) {
  return kernel.weights.at(static_cast<std::size_t>((y + kernel.height / 2) * kernel.width + x + kernel.width / 2));
}

double sum_of_magnitudes(const Kernel& kernel) {
  return std::accumulate(kernel.weights.begin(), kernel.weights.end(), 0.0,
                         [](double sum, float weight) { return sum + std::fabs(static_cast<double>(weight)); });
}

/// Variance of the kernel along x.
double variance(const Kernel& kernel) {
  double sum = 0;
  double squares = 0;
  for (int y = -kernel.height / 2; y <= kernel.height / 2; ++y) {
    for (int x = -kernel.width / 2; x <= kernel.width / 2; ++x) {
      sum += static_cast<double>(at(kernel, x, y));
      squares += static_cast<double>(at(kernel, x, y)) * x * x;
    }
  }
  return squares / sum;
}

void expect_outer_product(const Kernel& kernel) {
  ASSERT_EQ(kernel.along_x.size(), static_cast<std::size_t>(kernel.width));
  ASSERT_EQ(kernel.along_y.size(), static_cast<std::size_t>(kernel.height));
  const double largest = static_cast<double>(*std::max_element(kernel.weights.begin(), kernel.weights.end()));
  for (std::size_t i = 0; i < kernel.weights.size(); ++i) {
    const double product = static_cast<double>(kernel.along_x[i % kernel.along_x.size()]) *
                           static_cast<double>(kernel.along_y[i / kernel.along_x.size()]);
    const double weight = static_cast<double>(kernel.weights[i]);
    ASSERT_NEAR(product, weight, 4e-7 * weight + 1e-17 * largest) << i;
  }
}

TEST(MakeKernel, TurnsValuesByHalfACircle) {
  const Kernel kernel = make_kernel(values({{1, 2, 3}, {4, 5, 6}, {7, 8, -9}}));
  EXPECT_EQ(kernel.width, 3);
  EXPECT_EQ(kernel.height, 3);
  EXPECT_THAT(kernel.weights, ElementsAre(-9, 8, 7, 6, 5, 4, 3, 2, 1));
  EXPECT_FALSE(kernel.separable());
  EXPECT_THAT(make_kernel(values({{1, 2, 3}})).weights, ElementsAre(3, 2, 1));
}

TEST(MakeKernel, DividesByTheSumOfMagnitudes) {
  EXPECT_THAT(make_kernel(values({{-1, 4, -3}}, true)).weights, ElementsAre(-0.375F, 0.5F, -0.125F));
  EXPECT_NEAR(sum_of_magnitudes(make_kernel(gaussian(2.5))), 1, 1e-6);
  ConvolveConfig hat = shape(KernelShape::mexican_hat);
  hat.sigma = 1.7;
  EXPECT_NEAR(sum_of_magnitudes(make_kernel(hat)), 1, 1e-6);
}

TEST(MakeKernel, SamplesAGaussian) {
  ConvolveConfig config = gaussian(0);
  config.fwhm = 3;
  config.normalize = false;
  const Kernel kernel = make_kernel(config);
  ASSERT_EQ(kernel.width, 13);  // 4 sigma = 5.1
  ASSERT_EQ(kernel.height, 13);
  EXPECT_EQ(at(kernel, 0, 0), 1);
  const double sigma = 3 / std::sqrt(8 * std::log(2.0));
  for (int y = -6; y <= 6; ++y) {
    for (int x = -6; x <= 6; ++x) {
      const double want = std::exp(-(x * x + y * y) / (2 * sigma * sigma));
      EXPECT_NEAR(static_cast<double>(at(kernel, x, y)), want, 1e-7 * want) << x << ' ' << y;
      EXPECT_EQ(at(kernel, x, y), at(kernel, -y, x));
    }
  }
}

TEST(MakeKernel, SamplesATopHat) {
  ConvolveConfig config = shape(KernelShape::tophat);
  config.radius = 2.5;
  config.normalize = false;
  const Kernel kernel = make_kernel(config);
  EXPECT_THAT(kernel.weights, ElementsAre(0, 1, 1, 1, 0,  //
                                          1, 1, 1, 1, 1,  //
                                          1, 1, 1, 1, 1,  //
                                          1, 1, 1, 1, 1,  //
                                          0, 1, 1, 1, 0));
  config.radius = 2;  // a pixel at exactly the radius is within it
  EXPECT_EQ(sum_of_magnitudes(make_kernel(config)), 13);
}

TEST(MakeKernel, SamplesAMexicanHat) {
  ConvolveConfig config = shape(KernelShape::mexican_hat);
  config.sigma = 2;
  config.normalize = false;
  const Kernel kernel = make_kernel(config);
  EXPECT_EQ(kernel.width, 21);
  EXPECT_EQ(at(kernel, 0, 0), 1);
  EXPECT_EQ(at(kernel, 2, 2), 0);  // r^2 = 2 sigma^2
  EXPECT_NEAR(static_cast<double>(at(kernel, 4, 0)), -std::exp(-2.0), 1e-7);
  const double sum = std::accumulate(kernel.weights.begin(), kernel.weights.end(), 0.0);
  EXPECT_NEAR(sum, 0, 1e-3);  // it has no sensitivity to a level
  EXPECT_FALSE(kernel.separable());
}

TEST(MakeKernel, HasTheSizeThatIsAskedFor) {
  ConvolveConfig config = gaussian(2);
  for (const std::int64_t size : {1, 3, 15, 63}) {
    config.size = size;
    const Kernel kernel = make_kernel(config);
    EXPECT_EQ(kernel.width, size);
    EXPECT_EQ(kernel.height, size);
    EXPECT_NEAR(sum_of_magnitudes(kernel), 1, 1e-6);
  }
}

TEST(MakeKernel, MakesOnePixelOfAVeryNarrowShape) {
  for (const KernelShape narrow : {KernelShape::gaussian, KernelShape::mexican_hat}) {
    ConvolveConfig config = shape(narrow);
    config.sigma = 1e-200;
    const Kernel kernel = make_kernel(config);
    EXPECT_EQ(at(kernel, 0, 0), 1);
    EXPECT_EQ(sum_of_magnitudes(kernel), 1);
  }
}

TEST(MakeKernel, FindsEveryGaussianSeparable) {
  for (const double sigma : {0.1, 0.3, 0.5, 1.0, 1.274, 3.0, 7.5}) {
    for (const std::int64_t size : {0, 1, 15, 63}) {
      ConvolveConfig config = gaussian(sigma);
      config.size = size;
      SCOPED_TRACE(sigma);
      expect_outer_product(make_kernel(config));
    }
  }
}

TEST(MakeKernel, FindsOuterProductsAndOnlyThem) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 200; ++i) {
    std::vector<double> x(5), y(7);
    for (double& value : x) value = uniform(random);
    for (double& value : y) value = uniform(random);
    x[static_cast<std::size_t>(i % 5)] = i % 3 == 0 ? 0 : x[0];
    std::vector<std::vector<double>> rows;
    for (const double b : y) {
      std::vector<double>& row = rows.emplace_back();
      for (const double a : x) row.push_back(a * b);
    }
    expect_outer_product(make_kernel(values(rows, i % 2 == 0)));
    rows[2][3] += 1e-5;
    EXPECT_FALSE(make_kernel(values(rows)).separable());
    rows[2][3] = -rows[2][3];
    EXPECT_FALSE(make_kernel(values(rows)).separable());
  }
  const Kernel pyramid = make_kernel(values({{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}, true));
  EXPECT_THAT(pyramid.along_x, ElementsAre(0.125F, 0.25F, 0.125F));
  EXPECT_THAT(pyramid.along_y, ElementsAre(0.5F, 1, 0.5F));
  EXPECT_TRUE(make_kernel(values({{1, 0, 2}})).separable());
  EXPECT_TRUE(make_kernel(values({{1}, {0}, {2}})).separable());
}

std::string refusal(const ConvolveConfig& config) {
  return testing::config_error([&] { make_kernel(config); });
}

TEST(MakeKernel, RefusesWhatIsNoKernel) {
  EXPECT_THAT(refusal(values({{1, 2}})), HasSubstr("'convolve' must have odd sides, not 2 x 1"));
  EXPECT_THAT(refusal(gaussian(8)), HasSubstr("63 x 63"));
  EXPECT_THAT(refusal(gaussian(1e300)), HasSubstr("convolve.size"));
  ConvolveConfig outside = shape(KernelShape::tophat);
  outside.radius = 32;
  EXPECT_THAT(refusal(outside), HasSubstr("63 x 63"));
}

TEST(MakeMatchingKernel, AddsTheVarianceThatIsMissing) {
  const double per_fwhm_squared = 1 / (8 * std::log(2.0));
  for (const auto& [from, to] :
       {std::pair(2.0, 4.0), std::pair(3.0, 6.5), std::pair(3.0, 3.1), std::pair(3.0, 3.001)}) {
    const Kernel kernel = make_matching_kernel(from, to);
    const double wanted = (to * to - from * from) * per_fwhm_squared;
    EXPECT_NEAR(variance(kernel), wanted, 0.003 * wanted) << from << " to " << to;
    EXPECT_NEAR(sum_of_magnitudes(kernel), 1, 1e-6);
    EXPECT_TRUE(kernel.separable());
  }
}

}  // namespace
}  // namespace srcextract
