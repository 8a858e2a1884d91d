#include "regression/statistics/robust.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace srcextract {
namespace {

TEST(Robust, MedianAndScatterAreNumPys) {
  std::vector<double> values = {3.1, 2.7, 9.9, 3.3, 2.9, 3.0, -50, 3.2, 2.8, 3.4};
  EXPECT_DOUBLE_EQ(median_of(values), 3.05);
  EXPECT_NEAR(scatter_of(values, 3.05), 0.37065, 1e-12);
  std::vector<double> odd = {5, -1, 2};
  EXPECT_EQ(median_of(odd), 2);
  EXPECT_TRUE(std::isnan(median_of({})));
}

/// scipy.stats.trim_mean, and ttest_ind(trim=0.2) against a sample without scatter.
TEST(Robust, TheTrimmedLocationIsSciPysYuen) {
  std::vector<double> values = {3.1, 2.7, 9.9, 3.3, 2.9, 3.0, -50, 3.2, 2.8, 3.4};
  const Location location = trimmed_location(values);
  EXPECT_NEAR(location.mean, 3.05, 1e-12);
  EXPECT_NEAR(location.error, 0.11902380714240036, 1e-12);
  EXPECT_NEAR(location.significance, 4.787335139790342, 1e-9);
  EXPECT_EQ(location.count, 10);
}

TEST(Robust, EqualValuesAreCertain) {
  std::vector<double> equal(7, 0.1), zeros(7, 0.0), one = {4};
  EXPECT_EQ(trimmed_location(equal).mean, 0.1);
  EXPECT_EQ(trimmed_location(equal).error, 0);
  EXPECT_EQ(trimmed_location(equal).significance, certain);
  EXPECT_EQ(trimmed_location(zeros).significance, 0);
  EXPECT_EQ(trimmed_location(one).mean, 4);
  EXPECT_EQ(trimmed_location(one).significance, 0);
  EXPECT_EQ(trimmed_location({}).significance, 0);
}

/// scipy.stats.norm.isf(t.sf(...)) and norm.isf(binom.sf(hits - 1, ...)).
TEST(Robust, ProbabilitiesAreSciPys) {
  EXPECT_NEAR(sigma_of_t(5, 4), 2.6742153313971038, 1e-9);
  EXPECT_NEAR(sigma_of_t(-12, 17), 6.10841860226782, 1e-9);
  EXPECT_NEAR(sigma_of_t(3, 1000), 2.9925350400925272, 1e-9);
  EXPECT_EQ(sigma_of_t(std::numeric_limits<double>::infinity(), 3), certain);
  EXPECT_NEAR(sigma_of_count(20, 20, 0.5), 4.763001034267814, 1e-9);
  EXPECT_NEAR(sigma_of_count(10, 500, 0.005), 3.46659141433947, 1e-9);
  EXPECT_NEAR(sigma_of_count(3, 5, 0.01), 4.268250521002019, 1e-9);
  EXPECT_EQ(sigma_of_count(0, 10, 0.1), 0);
  EXPECT_EQ(sigma_of_count(1, 10, 0), certain);
}

/// Of normal values the significance itself is distributed as |N(0, 1)|: 4.55 % beyond 2, 0.27 % beyond 3.
TEST(Robust, NoiseIsSignificantAsOftenAsItShouldBe) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {12u, 30u, 300u}) {
    constexpr int trials = 40'000;
    int beyond_two = 0, beyond_three = 0;
    std::vector<double> values(count);
    for (int trial = 0; trial < trials; ++trial) {
      for (double& value : values) value = normal(random);
      const double significance = trimmed_location(values).significance;
      beyond_two += significance > 2;
      beyond_three += significance > 3;
    }
    EXPECT_NEAR(beyond_two / double{trials}, 0.0455, 0.007) << count;
    EXPECT_LT(beyond_three / double{trials}, 0.005) << count;
    EXPECT_GT(beyond_three / double{trials}, 0.001) << count;
  }
}

}  // namespace
}  // namespace srcextract
