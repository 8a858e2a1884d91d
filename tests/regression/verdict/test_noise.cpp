#include <gtest/gtest.h>

#include "tests/regression/verdict/simulated_catalog.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::compare;
using testing::observe;
using testing::TestCatalog;
using testing::words;

/// Two exposures of one field differ by their noise alone. At the default rules fewer than one in a hundred such pairs
/// may be called different.
TEST(Noise, IsNoDifference) {
  const int trials = testing::rounds(1000);
  int alarms = 0;
  std::string first;
  for (int trial = 0; trial < trials; ++trial) {
    const std::int64_t stars = std::vector<std::int64_t>{60, 300, 1500, 4000}[static_cast<std::size_t>(trial % 4)];
    const auto sky = testing::make_sky(stars, 2048, static_cast<std::uint64_t>(trial));
    const TestCatalog reference = observe(sky, static_cast<std::uint64_t>(10'000 + trial));
    const TestCatalog other = observe(sky, static_cast<std::uint64_t>(20'000 + trial));
    const Comparison result = compare(reference, other);
    ASSERT_GT(result.sources.matched, reference.table.rows / 2);
    if (result.within()) continue;
    ++alarms;
    first += words(result);
  }
  EXPECT_LT(100 * alarms, trials) << first;
}

TEST(Noise, OfNoneIsNoDifferenceToTheLastBit) {
  const TestCatalog reference = testing::observe_exactly(testing::make_sky(1000, 2048, 1));
  const Comparison result = compare(reference, reference);
  EXPECT_TRUE(result.within()) << words(result);
  EXPECT_EQ(result.sources.matched, reference.table.rows);
  for (const ColumnComparison& column : result.columns) EXPECT_EQ(column.absolute.scatter, 0) << column.name;
}

}  // namespace
}  // namespace srcextract
