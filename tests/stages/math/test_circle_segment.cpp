#include "stages/math/circle_segment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace srcextract {
namespace {

/// By libm in long double; where that loses its digits, of which 19 are left, by two terms of the series.
long double segment_by_libm(long double s) {
  if (s < 1e-4L) return s * s * s * (2.0L / 3 + s * s / 5);
  return std::asin(s) - s * std::sqrt(1 - s * s);
}

TEST(CircleSegment, AgreesWithLibmInLongDouble) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1), exponent(-20, 0);
  for (int i = 0; i < 300'000; ++i) {
    for (const double s : {uniform(random), std::exp(exponent(random))}) {
      const long double want = segment_by_libm(s);
      const long double lost = 4e-19L / (s * s);  // by the difference above
      ASSERT_NEAR(static_cast<double>(circle_segment(s) / want - 1), 0, 1e-15 + static_cast<double>(lost)) << s;
    }
  }
}

TEST(CircleSegment, IsNothingOfAPointAndHalfADiscOfADiameter) {
  EXPECT_EQ(circle_segment(0), 0);
  EXPECT_NEAR(circle_segment(1), std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(circle_segment(std::numbers::sqrt2 / 2), std::numbers::pi / 4 - 0.5, 3e-16);
}

}  // namespace
}  // namespace srcextract
