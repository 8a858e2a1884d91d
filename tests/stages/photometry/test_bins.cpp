#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "stages/photometry/growth.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {
namespace {

constexpr int rows = 5, times = 5, width = HostLanes::width;

/// Integers of a box that go to bins which are no further apart than `apart`: rows of them are those of one by one, and
/// what goes to the last bin is not kept.
TEST(Bins, OfRowsAreThoseOfOneByOne) {
  std::mt19937_64 random(8);
  std::int64_t kept = 0;
  for (int apart = 0; apart <= most_bins; ++apart) {
    const HostLanes lanes;
    std::vector<std::int64_t> expected(most_bins + 1);
    const ApertureBox box{3, 3 + 2 * width + apart % width, 5, 9, false};
    const std::int64_t* const bins =
        lanes.bins(box, [&](std::int32_t, std::int32_t, int count, HostLanes::BlockBins& block) {
          std::int64_t values[width];
          std::int32_t places[rows][times][width];
          std::uniform_int_distribution<std::int64_t> any(-(std::int64_t{1} << 50), std::int64_t{1} << 50);
          std::uniform_int_distribution<std::int32_t> from(0, most_bins - apart), on(0, apart);
          for (int i = 0; i < width; ++i) {
            values[i] = i < count ? any(random) : 0;
            const std::int32_t least = from(random);
            for (auto& row : places) {
              for (auto& place : row) {
                place[i] = least + on(random);
                expected[static_cast<std::size_t>(place[i])] += values[i];
              }
            }
          }
          block.begin(values);
          add_to_close_rings(places, block);
        });
    for (int bin = 0; bin < most_bins; ++bin) {
      EXPECT_EQ(bins[bin], expected[static_cast<std::size_t>(bin)]) << "bin " << bin << ", " << apart << " apart";
      kept += bins[bin] != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(kept, 60 * most_bins);
}

}  // namespace
}  // namespace srcextract
