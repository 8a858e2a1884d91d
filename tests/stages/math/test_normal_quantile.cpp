#include "stages/math/normal_quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace srcextract {
namespace {

double below(double value) {
  return 0.5 * std::erfc(-value / std::sqrt(2.0));
}

TEST(NormalQuantile, InvertsTheErrorFunction) {
  for (double value = -6; value <= 6; value += 0.01) {
    EXPECT_NEAR(normal_quantile(below(value)), value, 1e-8 + 1e-7 * std::abs(value)) << value;
  }
}

TEST(MedianInStep, IsTheLevelOfRoundedNoise) {
  constexpr double pixels = 1e9;
  for (const double sigma : {0.25, 0.43, 0.6, 1.0, 3.0, 20.0}) {
    for (const double level : {-0.45, -0.3, 0.0, 0.17, 0.33, 0.49}) {
      const double lower = below((-0.5 - level) / sigma), upper = below((0.5 - level) / sigma);
      const auto before = static_cast<std::int64_t>(pixels * lower);
      const auto here = static_cast<std::int64_t>(pixels * (upper - lower));
      EXPECT_NEAR(median_in_step(before, here, static_cast<std::int64_t>(pixels)) - 0.5, level, 1e-3 * sigma)
          << sigma << " " << level;
    }
  }
}

TEST(MedianInStep, IsTheMiddleOfTheOnlyStep) {
  EXPECT_DOUBLE_EQ(median_in_step(0, 100, 100), 0.5);
}

}  // namespace
}  // namespace srcextract
