#include "pipeline/chain/extraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace srcextract {
namespace {

using ::testing::ElementsAre;

template <class T>
Buffer<T, Cpu> buffer(const std::vector<T>& values) {
  Buffer<T, Cpu> buffer(static_cast<std::int64_t>(values.size()), Cpu{});
  std::copy(values.begin(), values.end(), buffer.begin());
  return buffer;
}

/// An image of 8 x 3 pixels with these runs; source k of `npix` has that many pixels.
Extraction extraction(const std::vector<Run>& runs, const std::vector<std::int32_t>& label,
                      const std::vector<std::int64_t>& npix) {
  Extraction e;
  e.sources.npix = npix;
  for (std::size_t row = 0; row < npix.size(); ++row) {
    e.sources.number.push_back(static_cast<std::int32_t>(row + 1));
    e.sources.flux_iso.push_back(static_cast<double>(npix[row]) / 2);
  }
  e.detected = 7;
  e.runs.shape = {8, 3};
  e.runs.runs = buffer(runs);
  std::vector<std::int64_t> row_begin(4, 0);
  for (const Run& run : runs)
    for (std::size_t y = static_cast<std::size_t>(run.y) + 1; y < 4; ++y) ++row_begin[y];
  e.runs.row_begin = buffer(row_begin);
  e.label = buffer(label);
  return e;
}

TEST(JoinSides, NumbersWhatBecameFainterAfterWhatBecameBrighter) {
  const Extraction both = join_sides(extraction({{0, 1, 3}, {2, 0, 5}}, {1, 2}, {2, 5}),
                                     extraction({{0, 5, 6}, {1, 0, 1}, {2, 6, 8}}, {1, 0, 2}, {1, 2}));
  EXPECT_TRUE(both.sources.changes);
  EXPECT_THAT(both.sources.number, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(both.sources.sign, ElementsAre(1, 1, -1, -1));
  EXPECT_THAT(both.sources.npix, ElementsAre(2, 5, 1, 2));
  EXPECT_THAT(both.sources.flux_iso, ElementsAre(1, 2.5, 0.5, 1));
  EXPECT_EQ(both.detected, 14);
}

TEST(JoinSides, MergesTheSegmentationsInRasterOrder) {
  const Extraction both = join_sides(extraction({{0, 4, 6}, {2, 0, 5}}, {1, 2}, {2, 5}),
                                     extraction({{0, 1, 3}, {1, 0, 1}, {2, 6, 8}}, {1, 0, 2}, {1, 2}));
  const std::vector<srcextract::Run> runs(both.runs.runs.begin(), both.runs.runs.end());
  EXPECT_THAT(runs, ElementsAre(srcextract::Run{0, 1, 3}, srcextract::Run{0, 4, 6}, srcextract::Run{1, 0, 1},
                                srcextract::Run{2, 0, 5}, srcextract::Run{2, 6, 8}));
  EXPECT_THAT(std::vector<std::int64_t>(both.runs.row_begin.begin(), both.runs.row_begin.end()),
              ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(std::vector<std::int32_t>(both.label.begin(), both.label.end()), ElementsAre(3, 1, 0, 2, 4));
}

TEST(JoinSides, TakesSidesWithoutSourcesOrSegmentation) {
  Extraction none;
  none.detected = 0;
  const Extraction both = join_sides(std::move(none), Extraction{});
  EXPECT_EQ(both.sources.size(), 0);
  EXPECT_TRUE(both.sources.sign.empty());
  EXPECT_TRUE(both.runs.row_begin.empty());
}

}  // namespace
}  // namespace srcextract
