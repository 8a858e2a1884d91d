#include "regression/statistics/trend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "regression/statistics/division.hpp"

namespace srcextract {
namespace {

struct Pairs {
  std::vector<double> brightness, x, y, difference;
};

Pairs make_pairs(std::size_t count, double sigma) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.brightness.push_back(2 + 3 * uniform(random));
    pairs.x.push_back(1000 * uniform(random));
    pairs.y.push_back(2000 * uniform(random));
    pairs.difference.push_back(sigma * normal(random));
  }
  return pairs;
}

Trend trend_along(const Pairs& pairs, const Division& division, const PairBins& bins) {
  return fit_trend(bins, locations_in(pairs.difference, division.looked_at, bins.of_pair, bins.count()));
}

TEST(Division, MakesBinsOfEquallyMany) {
  const Pairs pairs = make_pairs(1000, 1);
  const Division division = divide_pairs(pairs.brightness, pairs.x, pairs.y);
  ASSERT_EQ(division.brightness.count(), 32u);
  std::vector<int> counts(32, 0);
  for (std::uint8_t bin : division.brightness.of_pair) ++counts[bin];
  for (int count : counts) EXPECT_NEAR(count, 31, 1);
  EXPECT_EQ(division.looked_at.size(), 1000u);
  EXPECT_EQ(division.side, 5u);
}

TEST(Division, OfNothingHasOneBin) {
  const Division division = divide_pairs({}, {}, {});
  EXPECT_EQ(division.brightness.count(), 1u);
  EXPECT_EQ(division.side, 1u);
}

TEST(Division, OfWhateverRangeHasEveryPairInACellOfTheField) {
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{{-most, most}, {0, least}, {-1, 1}}) {
    std::vector<double> x(4000, low);
    std::fill(x.begin() + 2000, x.end(), high);
    const Division division = divide_pairs({}, x, x);
    ASSERT_EQ(division.side, 8u);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT(division.cell[i], 64u) << low;
    EXPECT_EQ(division.cell.front(), 0u);
    if (high > least) {
      EXPECT_EQ(division.cell.back(), 63u);
    }
    EXPECT_EQ(division.cell_of(std::nan(""), low), 0u);
  }
}

TEST(Division, OfMillionsLooksAtAboutOne) {
  const std::vector<double> x(3'000'000, 1.0);
  const Division division = divide_pairs({}, x, x);
  EXPECT_NEAR(static_cast<double>(division.looked_at.size()), 1e6, 5e3);
}

/// The slope that was put in comes out within its error, and a third of the errors is where it should be.
TEST(Trend, IsTheOneThatWasPutIn) {
  Pairs pairs = make_pairs(4000, 0.5);
  for (std::size_t i = 0; i < pairs.x.size(); ++i) pairs.difference[i] += 0.3 - 4e-4 * pairs.x[i];
  const Division division = divide_pairs(pairs.brightness, pairs.x, pairs.y);
  const Trend along_x = trend_along(pairs, division, division.x);
  EXPECT_NEAR(along_x.slope, -4e-4, 4 * along_x.error);
  EXPECT_NEAR(along_x.error, 0.5 / std::sqrt(4000) / (1000 / std::sqrt(12)), 1e-5);
  EXPECT_GT(along_x.significance, 7);
  EXPECT_NEAR(along_x.effect, 0.4, 0.06);
  EXPECT_LT(trend_along(pairs, division, division.y).significance, 4);
}

TEST(Trend, OfFewBinsIsNotKnown) {
  const Pairs pairs = make_pairs(90, 1);
  const Division division = divide_pairs(pairs.brightness, pairs.x, pairs.y);
  EXPECT_TRUE(std::isnan(trend_along(pairs, division, division.x).slope));
}

TEST(Trend, AStepAtTheBrightEndIsFound) {
  Pairs pairs = make_pairs(4000, 0.02);
  for (std::size_t i = 0; i < pairs.x.size(); ++i) pairs.difference[i] -= pairs.brightness[i] > 4.8 ? 0.1 : 0;
  const Division division = divide_pairs(pairs.brightness, pairs.x, pairs.y);
  const PairBins& bins = division.brightness;
  const Deviation found = find_bright_end(bins, locations_in(pairs.difference, division.looked_at, bins.of_pair, 32));
  EXPECT_NEAR(found.deviation, -0.1, 0.02);
  EXPECT_NEAR(found.share, 0.2 / 3, 0.04);
  EXPECT_GT(found.significance, 6);
}

TEST(Trend, APartOfTheFieldThatDiffersIsFoundAndNoOther) {
  Pairs pairs = make_pairs(6400, 0.1);
  for (std::size_t i = 0; i < pairs.x.size(); ++i)
    pairs.difference[i] += pairs.x[i] < 125 && pairs.y[i] > 1750 ? 0.3 : 0;
  const Division division = divide_pairs(pairs.brightness, pairs.x, pairs.y);
  ASSERT_EQ(division.side, 8u);
  const auto cells = locations_in(pairs.difference, division.looked_at, division.cell, 64);
  const std::vector<Deviation> found = find_cells(division, cells, 0.01, 5);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].deviation, 0.3, 0.05);
  EXPECT_NEAR(found[0].part.low_y, 1750, 2);
  EXPECT_NEAR(found[0].part.high_x, 125, 2);
}

}  // namespace
}  // namespace srcextract
