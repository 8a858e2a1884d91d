#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "regression/matching/match.hpp"
#include "tests/regression/matching/positions.hpp"

namespace srcextract {
namespace {

using testing::all_rows;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::nan;
using testing::pixels;
using testing::Random;
using testing::sky;

TEST(MatchPixels, NearestMustBeMutual) {
  // 0 and 1 are both nearest to the other's 0, which is nearer to 1.
  const Matches matches = match_sources(pixels({0, 1}, {0, 0}), pixels({0.8}, {0}), 2, 1);
  EXPECT_THAT(matches.reference, ElementsAre(1));
  EXPECT_THAT(matches.other, ElementsAre(0));
  EXPECT_THAT(matches.lost, ElementsAre(0));
  EXPECT_THAT(matches.gained, IsEmpty());
}

TEST(MatchPixels, OfEquallyNearRowsTheFirstCountsOnBothSides) {
  const Matches one_reference = match_sources(pixels({5}, {5}), pixels({6, 4, 5}, {5, 5, 6}), 1, 1);
  EXPECT_THAT(one_reference.other, ElementsAre(0));
  const Matches one_other = match_sources(pixels({6, 4, 5}, {5, 5, 6}), pixels({5}, {5}), 1, 1);
  EXPECT_THAT(one_other.reference, ElementsAre(0));
}

TEST(MatchPixels, TheRadiusBelongsToTheCircle) {
  EXPECT_EQ(match_sources(pixels({0}, {0}), pixels({3}, {4}), 5, 1).reference.size(), 1U);
  EXPECT_EQ(match_sources(pixels({0}, {0}), pixels({3}, {4}), 4.999, 1).reference.size(), 0U);
}

TEST(MatchPixels, NoRadiusIsNoMatch) {
  EXPECT_THAT(match_sources(pixels({0}, {0}), pixels({0}, {0}), -1, 1).reference, IsEmpty());
  EXPECT_THAT(match_sources(pixels({0}, {0}), pixels({0}, {0}), nan, 1).reference, IsEmpty());
}

TEST(MatchPixels, CoordinatesMayBeAsLargeAsDoublesAre) {
  const double huge = std::numeric_limits<double>::max();
  Positions far = pixels({}, {});
  for (int i = 0; i < 100; ++i) {
    far.x.push_back(i % 2 == 0 ? huge : -huge);
    far.y.push_back(i);
  }
  const Matches matches = match_sources(far, far, 0.1, 1);
  EXPECT_EQ(matches.reference, all_rows(100));
  EXPECT_EQ(matches.other, all_rows(100));
  EXPECT_EQ(match_sources(sky({huge}, {1}), sky({std::fmod(huge, 360)}, {1}), 0, 1).reference.size(), 1U);
}

TEST(MatchInSigma, TheNearestIsTheOneAtTheFewestSigma) {
  // 1 pixel at sigma 0.1 is further than 30 pixels at sigma 40.
  Positions reference = pixels({0}, {0}), other = pixels({1, 30, 1000}, {0, 0, 0});
  reference.sigma = {0.05F};
  other.sigma = {0.1F, 40, 0.1F};
  const Matches matches = match_sources(reference, other, 5, 1);
  EXPECT_THAT(matches.other, ElementsAre(1));
  EXPECT_THAT(matches.gained, ElementsAre(0, 2));
}

TEST(MatchInSigma, ARowWithoutAnErrorIsNowhere) {
  Positions reference = pixels({0, 10, 20, 30}, {0, 0, 0, 0}), other = reference;
  reference.sigma = {1, std::numeric_limits<float>::quiet_NaN(), -1, std::numeric_limits<float>::infinity()};
  other.sigma = {1, 1, 1, 1};
  EXPECT_THAT(match_sources(reference, other, 5, 1).reference, ElementsAre(0));
}

TEST(MatchInSigma, OneSideAloneHasNoSigma) {
  Positions reference = pixels({0}, {0}), other = pixels({1}, {0});
  reference.sigma = {100};
  EXPECT_THAT(match_sources(reference, other, 0.5, 1).reference, IsEmpty());
  EXPECT_THAT(match_sources(reference, other, 1.0, 1).reference, ElementsAre(0));
}

TEST(MatchSky, IsExactToABillionthOfADegree) {
  for (const double dec : {0.0, 60.0, -89.0}) {
    for (const double separation : {1 / 3.6e6, 1 / 3600.0, 1.0}) {  // 1 mas, 1 arcsec, 1 degree; along the meridian
      const Positions reference = sky({359.99999}, {dec - separation / 2}),
                      other = sky({-1e-5}, {dec + separation / 2});
      EXPECT_EQ(match_sources(reference, other, separation + 1e-9, 1).reference.size(), 1U) << dec << ' ' << separation;
      EXPECT_EQ(match_sources(reference, other, separation - 1e-9, 1).reference.size(), 0U) << dec << ' ' << separation;
    }
  }
  // Along the equator, across 0.
  const Positions reference = sky({360 - 1 / 7.2e6}, {0}), other = sky({1 / 7.2e6}, {0});
  EXPECT_EQ(match_sources(reference, other, 1 / 3.6e6 + 1e-9, 1).reference.size(), 1U);
  EXPECT_EQ(match_sources(reference, other, 1 / 3.6e6 - 1e-9, 1).reference.size(), 0U);
}

TEST(MatchSky, OnePointMayBeWrittenInManyWays) {
  const Positions reference = sky({0, 10, 20, 350}, {5, 90, -90, 6}), other = sky({360, 200, 0, -10}, {5, 90, -90, 6});
  EXPECT_EQ(match_sources(reference, other, 0, 1).reference.size(), 4U);
}

TEST(MatchSky, ADeclinationBeyondAPoleIsNowhere) {
  EXPECT_THAT(match_sources(sky({0}, {91}), sky({0}, {91}), 180, 1).reference, IsEmpty());
}

TEST(MatchSky, TheRadiusMayBeTheWholeSphere) {
  EXPECT_EQ(match_sources(sky({0}, {0}), sky({180}, {0}), 180, 1).reference.size(), 1U);
  EXPECT_EQ(match_sources(sky({0}, {0}), sky({180}, {0}), 500, 1).reference.size(), 1U);
  EXPECT_EQ(match_sources(sky({0}, {0}), sky({180}, {0}), 179.9, 1).reference.size(), 0U);
}

// Each with each would be 4e10 comparisons: these tests end because crowding costs nothing.
TEST(MatchCrowded, EverythingOnOnePointPairsInOrder) {
  const Positions heap = pixels(std::vector<double>(200000, 3.0), std::vector<double>(200000, 4.0));
  const Matches matches = match_sources(heap, heap, 1, 2);
  EXPECT_EQ(matches.reference, all_rows(200000));
  EXPECT_EQ(matches.other, all_rows(200000));
}

TEST(MatchCrowded, ThousandsWithinTheRadiusAreStillToldApart) {
  Positions reference, other;
  Random random(1);
  for (int i = 0; i < 200000; ++i) {
    reference.x.push_back(random.uniform(0, 1));
    reference.y.push_back(random.uniform(0, 1));
  }
  other = reference;
  std::reverse(other.x.begin(), other.x.end());
  std::reverse(other.y.begin(), other.y.end());
  const Matches matches = match_sources(reference, other, 10, 2);
  ASSERT_EQ(matches.reference, all_rows(200000));
  for (std::size_t k = 0; k < 200000; ++k) ASSERT_EQ(matches.other[k], static_cast<std::int64_t>(199999 - k));
}

}  // namespace
}  // namespace srcextract
