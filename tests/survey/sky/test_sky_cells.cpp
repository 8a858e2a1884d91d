#include "survey/sky/sky_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "survey/sky/healpix.hpp"

namespace srcextract {
namespace {

using ::testing::IsEmpty;

/// Rows everywhere, and most of them in one place.
std::vector<std::int64_t> rows_of_a_cluster() {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> anywhere(0, 1);
  std::vector<std::int64_t> rows;
  for (int i = 0; i < 20'000; ++i) {
    const double ra = i % 4 == 0 ? 360 * anywhere(random) : 150 + anywhere(random);
    const double dec = i % 4 == 0 ? 180 * anywhere(random) - 90 : 2 + anywhere(random);
    rows.push_back(healpix_cell(ra, dec, finest_healpix_order));
  }
  return rows;
}

TEST(SkyCells, HoldEachRowOnceAndFewEnough) {
  const std::vector<std::int64_t> rows = rows_of_a_cluster();
  SkyCells sky;
  for (const std::int64_t row : rows) sky.add(row);
  constexpr std::int64_t most = 300;
  std::int64_t before = 0, sum = 0;
  for (const SkyCell& cell : sky.divide(most)) {
    EXPECT_GE(cell.begin(), before);  // in order, and none over another
    before = cell.end();
    sum += cell.rows;
    EXPECT_EQ(cell.rows,
              std::ranges::count_if(rows, [&](auto row) { return row >= cell.begin() && row < cell.end(); }));
    EXPECT_GT(cell.rows, 0);
    EXPECT_LE(cell.rows, most);
    if (cell.order == 0) continue;
    // What it was cut out of had too many.
    const SkyCell parent{cell.order - 1, cell.pixel / 4, 0};
    EXPECT_GT(std::ranges::count_if(rows, [&](auto row) { return row >= parent.begin() && row < parent.end(); }), most);
  }
  EXPECT_EQ(sum, std::ssize(rows));
}

TEST(SkyCells, AreNotDividedForEver) {
  SkyCells sky;
  const std::int64_t here = healpix_cell(10, 10, finest_healpix_order);
  for (int i = 0; i < 50; ++i) sky.add(here);
  const std::vector<SkyCell> cells = sky.divide(10);
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].order, SkyCells::smallest_order);
  EXPECT_EQ(cells[0].pixel, healpix_cell(10, 10, SkyCells::smallest_order));
  EXPECT_EQ(cells[0].rows, 50);
}

TEST(SkyCells, AreNoneWithoutRows) {
  EXPECT_THAT(SkyCells().divide(1), IsEmpty());
}

}  // namespace
}  // namespace srcextract
