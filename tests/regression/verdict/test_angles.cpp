#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/regression/verdict/simulated_catalog.hpp"

namespace srcextract {
namespace {

using testing::compare;
using ::testing::HasSubstr;
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

}  // namespace
}  // namespace srcextract
