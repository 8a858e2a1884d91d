#include "pipeline/exposure/sampled_rows.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "pipeline/exposure/padding_look.hpp"

namespace srcextract::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Le;

TEST(SampledRows, AreSpreadEvenly) {
  EXPECT_THAT(spread_rows(100, 4), ElementsAre(12, 37, 62, 87));
  EXPECT_THAT(spread_rows(3, 3), ElementsAre(0, 1, 2));
}

TEST(SampledRows, AreOfFewBandsThatAreDecompressedTogether) {
  const std::vector<std::int64_t> rows = spread_rows(4096, 256, 64);
  std::set<std::int64_t> bands;
  for (const std::int64_t row : rows) bands.insert(row / 64);
  EXPECT_EQ(rows.size(), 256u);
  EXPECT_EQ(bands.size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_EQ(spread_rows(4096, 256, 4096), spread_rows(4096, 256));
}

// Also where all rows are one tile, as fpack -w makes it.
TEST(PaddingLook, LooksAtFewRowsHoweverManyAreDecompressedTogether) {
  constexpr std::int64_t width = 20;
  for (const std::int64_t height : {16, 33, 64, 4096})
    for (const std::int64_t together : {1, 3, 16, 64, 1000, 4096}) {
      if (together > height) continue;
      std::int64_t read = 0;
      PixelSource plane{.shape = {width, height}, .format = {}, .read = {}};
      plane.read = [&](std::int64_t, std::int64_t count, std::byte* out) {
        read += count;
        std::memset(out, 0, static_cast<std::size_t>(count) * sizeof(float));
      };
      const PaddingLook look = look_for_padding(plane, together, false);
      EXPECT_THAT(read, Le(33 * width)) << height << " rows, " << together << " together";
      EXPECT_EQ(look.rows.front(), 0);
      EXPECT_EQ(look.rows.back(), height - 1);
      EXPECT_TRUE(std::ranges::is_sorted(look.rows));
    }
}

}  // namespace
}  // namespace srcextract::testing
