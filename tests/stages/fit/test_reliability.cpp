#include "stages/fit/reliability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace srcextract {
namespace {

ComponentRow row_of(double snr, double x = 0, double y = 0) {
  ComponentRow row;
  row.peak = 2 * snr;
  row.of_island.rms = 2;
  row.x = x;
  row.y = y;
  return row;
}

/// So many rows, each a source of its own.
void add(std::vector<ComponentRow>& rows, int count, double snr, double x = 0, double y = 0) {
  for (int i = 0; i < count; ++i) {
    rows.push_back(row_of(snr, x, y));
    rows.back().source = static_cast<std::int32_t>(rows.size());
  }
}

/// The probability of at most n events where `mean` are expected.
double at_most(int n, double mean) {
  double term = std::exp(-mean), sum = term;
  for (int i = 1; i <= n; ++i) sum += term *= mean / i;
  return sum;
}

/// The mean for which at_most(n, mean) is `share`.
double mean_with(int n, double share) {
  double low = 0, high = 200;
  for (int i = 0; i < 100; ++i) (at_most(n, (low + high) / 2) > share ? low : high) = (low + high) / 2;
  return low;
}

TEST(Reliability, IsOneLessTheShareOfNegativeSourcesOfEqualSnr) {
  std::vector<ComponentRow> sources, negative;
  add(sources, 40, 5.2);
  add(sources, 10, 6.5);
  add(sources, 3, 20);
  add(negative, 10, 5.3);
  add(negative, 12, 6.1);
  std::vector<ComponentRow> gaussians = {sources[45], sources[0], sources[52]};
  const Reliability of = find_reliability(sources, gaussians, negative, 4);
  EXPECT_EQ(of.negative, 22);
  EXPECT_EQ(of.bright, 0);
  EXPECT_TRUE(of.near.empty());
  ASSERT_EQ(of.elsewhere.size(), 3u);
  EXPECT_DOUBLE_EQ(of.elsewhere[0].share, 0.75);
  EXPECT_DOUBLE_EQ(of.elsewhere[1].share, 0);  // and not below
  EXPECT_DOUBLE_EQ(of.elsewhere[2].share, 1);
  EXPECT_DOUBLE_EQ(sources[0].reliability, 0.75);
  EXPECT_DOUBLE_EQ(gaussians[0].reliability, 0);
  EXPECT_DOUBLE_EQ(gaussians[1].reliability, 0.75);
  EXPECT_DOUBLE_EQ(gaussians[2].reliability, 1);
}

TEST(Reliability, IntervalsAreThoseOfPoissonsDistribution) {
  constexpr double tail = 0.15865525393145707;
  for (const int count : {0, 1, 2, 5, 20, 90}) {
    std::vector<ComponentRow> sources, gaussians, negative;
    add(sources, 200, 5.7);
    add(negative, count, 5.7);
    const Reliability of = find_reliability(sources, gaussians, negative, 4);
    const double fewest = 1 - mean_with(count, tail) / 200;
    const double most = count == 0 ? 1 : 1 - mean_with(count - 1, 1 - tail) / 200;
    EXPECT_NEAR(of.elsewhere[0].least, fewest, 2e-3) << count;
    EXPECT_NEAR(of.elsewhere[0].most, most, 2e-3) << count;
  }
}

TEST(Reliability, PlacesNearVeryBrightSourcesHaveBinsOfTheirOwn) {
  std::vector<ComponentRow> sources, gaussians, negative;
  add(sources, 1, 1000, 500, 400);
  add(sources, 1, 999, 100, 100);
  add(sources, 4, 5.7, 500, 459);  // 59 pixels away; 15 beams are 60
  add(sources, 4, 5.7, 500, 339);
  add(sources, 8, 5.7, 120, 100);
  add(negative, 3, 5.7, 460, 400);
  const Reliability of = find_reliability(sources, gaussians, negative, 4);
  EXPECT_EQ(of.bright, 1);
  EXPECT_DOUBLE_EQ(of.within, 60);
  EXPECT_DOUBLE_EQ(sources[2].reliability, 0.25);
  EXPECT_DOUBLE_EQ(sources[6].reliability, 1);
  EXPECT_DOUBLE_EQ(sources[10].reliability, 1);
  ASSERT_EQ(of.near.size(), 2u);
  EXPECT_EQ(of.near[0].positive, 4);
  EXPECT_EQ(of.near[0].negative, 3);
  EXPECT_EQ(of.near[1].positive, 1);
}

TEST(Reliability, IsUnknownWhereThereIsNoSource) {
  std::vector<ComponentRow> sources, gaussians, negative;
  add(negative, 2, 5.7);
  const Reliability of = find_reliability(sources, gaussians, negative, 4);
  ASSERT_EQ(of.elsewhere.size(), 1u);
  EXPECT_TRUE(std::isnan(of.elsewhere[0].share));
  EXPECT_TRUE(std::isnan(of.elsewhere[0].least));
}

TEST(Reliability, StaysZeroWhereTheMapLacksTheLight) {
  std::vector<ComponentRow> sources;
  add(sources, 40, 20);
  sources[3].reliability = 0;
  std::vector<ComponentRow> gaussians = sources;
  find_reliability(sources, gaussians, {}, 4);
  for (const std::vector<ComponentRow>* rows : {&sources, &gaussians}) {
    EXPECT_DOUBLE_EQ((*rows)[2].reliability, 1);
    EXPECT_DOUBLE_EQ((*rows)[3].reliability, 0);
  }
}

}  // namespace
}  // namespace srcextract
