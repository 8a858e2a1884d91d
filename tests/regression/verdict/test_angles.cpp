#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "tests/regression/verdict/simulated_catalog.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using testing::compare;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestCatalog;
using testing::words;

/// Round sources have no direction: whatever is measured is as good as any other.
TEST(Angles, OfRoundSourcesAreNoDifference) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> anywhere(-90, 90);
  for (int trial = 0; trial < 50; ++trial) {
    const auto sky = testing::make_sky(1500, 2048, static_cast<std::uint64_t>(trial));
    TestCatalog reference = testing::observe(sky, 1), other = testing::observe(sky, 2);
    for (TestCatalog* catalog : {&reference, &other}) {
      for (double& angle : catalog->column("THETA_IMAGE")) angle = anywhere(random);
    }
    const std::string found = words(compare(reference, other));
    EXPECT_EQ(found, "") << trial;
  }
}

TEST(Angles, OfAnotherAxisAreFoundThoughTheyDifferByPlusAndMinusNinety) {
  const auto sky = testing::make_sky(1500, 2048, 1);
  const TestCatalog reference = testing::observe(sky, 1);
  TestCatalog other = testing::observe(sky, 2);
  for (double& angle : other.column("THETA_IMAGE")) angle += angle > 0 ? -90 : 90;
  EXPECT_THAT(words(compare(reference, other)), HasSubstr("THETA_IMAGE: "));
}

/// A source that is round has the angle 0 in every unit: the others tell.
TEST(Angles, InRadiansAreRecognisedWhereMostSourcesAreRound) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto sky = testing::make_sky(300, 2048, seed);
    TestCatalog reference = testing::observe_exactly(sky);
    std::vector<double>& angles = reference.column("THETA_IMAGE");
    for (std::size_t i = 0; i < angles.size(); ++i)
      if (i % 5 < 3) angles[i] = 0;
    TestCatalog other = reference;
    for (double& angle : other.column("THETA_IMAGE")) angle *= std::numbers::pi / 180;
    EXPECT_THAT(words(compare(reference, other)), HasSubstr("radians where the reference has degrees"));
    EXPECT_THAT(words(compare(other, reference)), HasSubstr("degrees where the reference has radians"));
    EXPECT_EQ(words(compare(reference, reference)), "");
  }
}

/// Zeros are no leave to call any change of the rest a unit.
TEST(Angles, ThatAreTurnedAreNotInRadiansThoughMostSourcesAreRound) {
  const auto sky = testing::make_sky(300, 2048, 4);
  TestCatalog reference = testing::observe_exactly(sky), other = testing::observe_exactly(sky);
  for (std::size_t i = 0; i < reference.column("THETA_IMAGE").size(); ++i) {
    if (i % 5 < 3)
      reference.column("THETA_IMAGE")[i] = other.column("THETA_IMAGE")[i] = 0;
    else
      other.column("THETA_IMAGE")[i] += 20;
  }
  EXPECT_THAT(words(compare(reference, other)), AllOf(HasSubstr("THETA_IMAGE: "), Not(HasSubstr("radians"))));
}

}  // namespace
}  // namespace srcextract
