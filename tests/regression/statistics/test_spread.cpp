#include "regression/statistics/spread.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace srcextract {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Put in order as a whole.
double middle(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : values[half - 1] + (values[half] - values[half - 1]) / 2;
}

void expect_spread(const std::vector<double>& values, const char* what) {
  const std::vector<double> before = values;
  const double median = middle(values);
  std::vector<double> distances = values;
  for (double& value : distances) value = std::abs(value - median);
  for (const int threads : {1, 16}) {
    const Spread spread = spread_of(values, threads);
    EXPECT_EQ(spread.median, median) << what << ", " << threads << " threads";
    EXPECT_EQ(spread.scatter, 1.4826 * middle(distances)) << what << ", " << threads << " threads";
    EXPECT_EQ(median_of(values, threads), median) << what;
    std::vector<double> order = values;
    std::erase_if(order, [](double value) { return std::isnan(value); });
    std::sort(order.begin(), order.end());
    EXPECT_EQ(sorted(values, threads), order) << what;
  }
}

/// Of more values than are put in order as a whole, and of fewer, of an even and an odd number.
TEST(Spread, IsThatOfValuesInOrderWhateverTheyAreLike) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {1u, 2u, 7u, 1000u, 40'001u, 100'000u}) {
    std::vector<double> values(count);
    const auto fill = [&](auto&& value) {
      for (std::size_t i = 0; i < count; ++i) values[i] = value(i);
    };
    fill([&](std::size_t) { return normal(random); });
    expect_spread(values, "normal");
    fill([&](std::size_t) { return std::exp(20 * normal(random)); });
    expect_spread(values, "of many orders of magnitude");
    fill([&](std::size_t) { return std::round(normal(random)); });
    expect_spread(values, "a few values again and again");
    fill([&](std::size_t i) { return 2 * i < count ? -1.0 : 1.0; });
    expect_spread(values, "the middle between two that are all there are");
    fill([&](std::size_t) { return 0.1; });
    expect_spread(values, "equal");
    fill([&](std::size_t i) { return static_cast<double>(i); });
    expect_spread(values, "in order");
    fill([&](std::size_t i) { return i % 10 == 3 && i > 0 ? not_known : static_cast<double>(i % 1000); });
    expect_spread(values, "some not known");
    fill([&](std::size_t i) { return i % 5 == 4 ? infinite : normal(random); });
    expect_spread(values, "some infinite");
  }
}

TEST(Spread, OfNothingIsNotKnown) {
  for (const std::vector<double>& values : {std::vector<double>{}, std::vector<double>(100'000, not_known)}) {
    EXPECT_TRUE(std::isnan(spread_of(values, 2).median));
    EXPECT_TRUE(std::isnan(spread_of(values, 2).scatter));
    EXPECT_TRUE(sorted(values, 2).empty());
  }
}

}  // namespace
}  // namespace srcextract
