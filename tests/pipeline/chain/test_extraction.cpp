#include "pipeline/chain/extraction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/usual_sources.hpp"

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
  e.sources = testing::usual_sources(npix.size(), {columns::id_parent});
  e.sources[columns::npix] = npix;
  for (std::size_t row = 0; row < npix.size(); ++row) {
    e.sources[columns::number][row] = static_cast<std::int32_t>(row + 1);
    e.sources[columns::flux_iso][row] = static_cast<double>(npix[row]) / 2;
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
  EXPECT_THAT(both.sources[columns::number], ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(both.sources[columns::sign], ElementsAre(1, 1, -1, -1));
  EXPECT_THAT(both.sources[columns::npix], ElementsAre(2, 5, 1, 2));
  EXPECT_THAT(both.sources[columns::flux_iso], ElementsAre(1, 2.5, 0.5, 1));
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

TEST(JoinSides, BackgroundsCanBeTurnedToThoseOfTheImage) {
  Extraction above = extraction({}, {}, {2, 5}), below = extraction({}, {}, {1, 2});
  above.sources[columns::background] = {1000, 1001};
  below.sources[columns::background] = {-1002.5, 0};
  above.background.clipped.median = 1000;
  Extraction both = join_sides(std::move(above), std::move(below));
  EXPECT_THAT(both.sources[columns::background], ElementsAre(1000, 1001, -1002.5, 0));
  turn_backgrounds(both.sources);
  EXPECT_THAT(both.sources[columns::background], ElementsAre(1000, 1001, 1002.5, 0));
  EXPECT_FALSE(std::signbit(both.sources[columns::background][3]));
  EXPECT_EQ(both.background.clipped.median, 1000);
}

/// As where the threshold is lower than the error of the sky's level.
TEST(JoinSides, GivesNoPixelToBothSides) {
  const Extraction both = join_sides(extraction({{0, 0, 4}, {1, 0, 8}, {2, 2, 3}}, {1, 1, 2}, {12, 1}),
                                     extraction({{0, 2, 6}, {1, 2, 5}, {2, 1, 4}}, {1, 2, 3}, {4, 3, 3}));
  const std::vector<srcextract::Run> runs(both.runs.runs.begin(), both.runs.runs.begin() + both.runs.row_begin[3]);
  EXPECT_THAT(runs, ElementsAre(srcextract::Run{0, 0, 4}, srcextract::Run{0, 4, 6}, srcextract::Run{1, 0, 8},
                                srcextract::Run{2, 1, 4}));
  EXPECT_THAT(std::vector<std::int32_t>(both.label.begin(), both.label.begin() + 4), ElementsAre(1, 3, 1, 5));
}

TEST(LeaveFainter, HasTheSourcesOfOneSideAndTheSkyOfTheImage) {
  Extraction above = extraction({{0, 1, 3}}, {1}, {2}), below = extraction({{0, 5, 6}, {1, 0, 2}}, {1, 2}, {1, 2});
  above.background.clipped.median = 1000;
  above.brightest = {{1, 0, 7000.0F}};
  below.background.clipped.median = -1000;
  below.sources[columns::background] = {-1000, -1000};
  below.detected = 5;
  const Extraction fainter = leave_fainter(std::move(above), std::move(below));
  EXPECT_THAT(fainter.sources[columns::number], ElementsAre(1, 2));
  EXPECT_THAT(fainter.sources[columns::sign], ElementsAre(-1, -1));
  EXPECT_THAT(fainter.sources[columns::background], ElementsAre(-1000, -1000));
  EXPECT_EQ(fainter.background.clipped.median, 1000);
  EXPECT_EQ(fainter.detected, 5);
  EXPECT_EQ(fainter.runs.runs.size(), 2);
  EXPECT_TRUE(fainter.brightest.empty());
}

TEST(JoinSides, TakesSidesWithoutSourcesOrSegmentation) {
  Extraction none, other;
  none.sources = other.sources = testing::usual_sources();
  const Extraction both = join_sides(std::move(none), std::move(other));
  EXPECT_EQ(both.sources.size(), 0);
  EXPECT_TRUE(both.sources[columns::sign].empty());
  EXPECT_TRUE(both.runs.row_begin.empty());
}

}  // namespace
}  // namespace srcextract
