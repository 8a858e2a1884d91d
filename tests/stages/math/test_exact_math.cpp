#include "stages/math/exact_math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <random>

namespace srcextract {
namespace {

TEST(PortableAtan2, AgreesWithLibmEverywhere) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-40, 40);
  for (int i = 0; i < 1'000'000; ++i) {
    const double y = std::ldexp(mantissa(random), exponent(random) / 2);
    const double x = std::ldexp(mantissa(random), exponent(random) / 2);
    const double want = std::atan2(y, x);
    ASSERT_NEAR(portable_atan2(y, x), want, 1e-15 * std::max(1.0, std::abs(want))) << y << " " << x;
  }
}

TEST(PortableAtan2, HasTheSignsAndQuadrantsOfC) {
  for (const double y : {-2.0, -1.0, -0.0, 0.0, 1.0, 2.0}) {
    for (const double x : {-2.0, -1.0, -0.0, 0.0, 1.0, 2.0}) {
      EXPECT_NEAR(portable_atan2(y, x), std::atan2(y, x), 1e-15) << y << " " << x;
      EXPECT_EQ(std::signbit(portable_atan2(y, x)), std::signbit(std::atan2(y, x))) << y << " " << x;
    }
  }
}

TEST(PortableAtan2, IsNotANumberForWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(portable_atan2(nan, 1)));
  EXPECT_TRUE(std::isnan(portable_atan2(-1, nan)));
  EXPECT_TRUE(std::isnan(portable_atan2(infinity, -infinity)));
}

TEST(PortableSin, IsTheSine) {
  for (int i = -1000; i <= 1000; ++i) {
    const double t = std::numbers::pi / 2 * i / 1000;
    EXPECT_NEAR(portable_sin(t), std::sin(t), 2.3e-16) << t;
  }
}

TEST(PortableCosineSine, AgreeWithLibm) {
  for (int i = -4000; i <= 4000; ++i) {
    const double angle = std::numbers::pi / 2000 * i;
    const auto [cosine, sine] = portable_cosine_sine(angle);
    EXPECT_NEAR(cosine, std::cos(angle), 1e-15) << angle;
    EXPECT_NEAR(sine, std::sin(angle), 1e-15) << angle;
  }
  EXPECT_EQ(portable_cosine_sine(0).cosine, 1);
  EXPECT_EQ(portable_cosine_sine(std::numbers::pi / 2).cosine, 0);
  EXPECT_TRUE(std::isnan(portable_cosine_sine(std::numeric_limits<double>::quiet_NaN()).sine));
}

TEST(PortableExp, AgreesWithLibmEverywhere) {
  std::mt19937_64 random(4);
  for (const double range : {1.0, 50.0, 760.0}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 300'000; ++i) {
      const double x = uniform(random);
      const double want = std::exp(x);
      if (std::isinf(want)) {
        ASSERT_EQ(portable_exp(x), want) << x;
      } else {
        ASSERT_NEAR(portable_exp(x), want, 1e-15 * std::max(want, std::numeric_limits<double>::min())) << x;
      }
    }
  }
}

TEST(PortableExp, TakesEveryNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(portable_exp(0.0), 1);
  EXPECT_EQ(portable_exp(-0.0), 1);
  EXPECT_EQ(portable_exp(1e-300), 1);
  EXPECT_EQ(portable_exp(-infinity), 0);
  EXPECT_EQ(portable_exp(-1e308), 0);
  EXPECT_EQ(portable_exp(infinity), infinity);
  EXPECT_TRUE(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(ExpInFloatRange, AgreesWithLongDouble) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(-104, 89);
  for (int i = 0; i < 300'000; ++i) {
    const double x = uniform(random);
    const auto want = static_cast<double>(std::exp(static_cast<long double>(x)));
    ASSERT_NEAR(exp_in_float_range(x), want, 1e-11 * want) << x;
  }
  EXPECT_EQ(exp_in_float_range(0), 1);
  EXPECT_EQ(exp_in_float_range(-1e300), exp_in_float_range(-104));
  EXPECT_EQ(exp_in_float_range(1e300), exp_in_float_range(89));
}

/// Beside the C library's, whose erfc is right to its last bits here.
TEST(PortableNormalTail, IsThatOfTheNormalDistribution) {
  for (double z = 1; z < 17; z += 0.01) {
    const double want = std::erfc(z / std::sqrt(2.0)) / 2;
    ASSERT_NEAR(portable_normal_tail(z) / want, 1, 1e-11) << z;
  }
  EXPECT_NEAR(portable_normal_tail(5), 2.866515718791939e-7, 1e-17);
}

TEST(PortableLog, IsThatOfTheCLibrary) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-700, 700);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::exp(exponent(random));
    ASSERT_NEAR(portable_log(x), std::log(x), 4e-16 * std::fabs(std::log(x)) + 1e-15) << x;
  }
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_NEAR(portable_log(1 + 0x1p-30), std::log1p(0x1p-30), 1e-24);
}

}  // namespace
}  // namespace srcextract
