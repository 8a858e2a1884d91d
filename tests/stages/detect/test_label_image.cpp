#include "stages/detect/label_image.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

template <class Where>
using LabelImageTest = StageTest<Where>;
TYPED_TEST_SUITE(LabelImageTest, Backends);

std::vector<std::int32_t> random_map(const Shape& shape, const std::vector<std::int32_t>& labels, double empty,
                                     unsigned int seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution none(empty), same(0.6);
  std::uniform_int_distribution<std::size_t> which(0, labels.size() - 1);
  std::vector<std::int32_t> map(static_cast<std::size_t>(shape.count()), 0);
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (none(random)) continue;
    map[i] = i > 0 && same(random) ? map[i - 1] : labels[which(random)];
  }
  return map;
}

const std::vector<Shape> shapes = {{1, 1}, {1, 40}, {33, 7}, {64, 50}, {97, 31}, {1031, 20}};

TYPED_TEST(LabelImageTest, RunsAreWhereTheLabelsAreAndTheMapComesBack) {
  const auto& backend = this->backend();
  for (const Shape& shape : shapes) {
    const std::vector<std::int32_t> pixels = random_map(shape, {3, 41, 7, 2000000000}, 0.4, 5);
    Image<std::int32_t, TypeParam> map;
    map.shape = shape;
    map.pixels = backend.put(pixels);
    const LabelledRuns<TypeParam> found = runs_of_labels(map, backend.where());

    std::set<std::int32_t> labels(pixels.begin(), pixels.end());
    labels.erase(0);
    EXPECT_EQ(found.labels, std::vector<std::int32_t>(labels.begin(), labels.end()));
    EXPECT_EQ(fetch(found.components.counts, backend.where()).kept, std::ssize(labels));
    const std::vector<Run> runs = backend.get(found.runs.runs);
    const std::vector<std::int32_t> label = backend.get(found.components.label);
    ASSERT_EQ(runs.size(), label.size());
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto at = [&](std::int32_t x) {
        return x < 0 || x >= shape.width ? 0 : pixels[static_cast<std::size_t>(runs[i].y * shape.width + x)];
      };
      const std::int32_t own = found.labels[static_cast<std::size_t>(label[i] - 1)];
      for (std::int32_t x = runs[i].begin; x < runs[i].end; ++x) ASSERT_EQ(at(x), own);
      EXPECT_NE(at(runs[i].begin - 1), own);
      EXPECT_NE(at(runs[i].end), own);
      covered += runs[i].end - runs[i].begin;
      if (i > 0) {
        EXPECT_LT(std::pair(runs[i - 1].y, runs[i - 1].begin), std::pair(runs[i].y, runs[i].begin));
      }
    }
    EXPECT_EQ(covered, std::ranges::count_if(pixels, [](std::int32_t one) { return one != 0; }));

    std::vector<std::int32_t> numbers;
    for (const std::int32_t one : label) numbers.push_back(found.labels[static_cast<std::size_t>(one - 1)]);
    EXPECT_EQ(backend.get(map_labels(found.runs, backend.put(numbers), backend.where()).pixels), pixels);
  }
}

TYPED_TEST(LabelImageTest, MasksBecomeRunsAndComeBack) {
  const auto& backend = this->backend();
  for (const Shape& shape : shapes) {
    std::vector<std::uint8_t> pixels;
    for (const std::int32_t one : random_map(shape, {1}, 0.5, 6)) pixels.push_back(one != 0 ? 1 : 0);
    Image<std::uint8_t, TypeParam> mask;
    mask.shape = shape;
    mask.pixels = backend.put(pixels);
    const Runs<TypeParam> runs = runs_of_mask(mask, backend.where());
    EXPECT_EQ(backend.get(map_runs(runs, backend.where()).pixels), pixels);
    std::int64_t begins = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const bool starts_row = static_cast<std::int64_t>(i) % shape.width == 0;
      begins += pixels[i] != 0 && (starts_row || pixels[i - 1] == 0) ? 1 : 0;
    }
    EXPECT_EQ(runs.runs.size(), begins);
  }
}

TYPED_TEST(LabelImageTest, EveryValueOfAMaskButZeroIsForeground) {
  const auto& backend = this->backend();
  std::vector<std::uint8_t> pixels(70, 0);
  for (const std::size_t i : {2, 3, 4, 31, 32, 33, 34, 69}) pixels[i] = static_cast<std::uint8_t>(250 + i % 5);
  Image<std::uint8_t, TypeParam> mask;
  mask.shape = {35, 2};
  mask.pixels = backend.put(pixels);
  const std::vector<Run> runs = backend.get(runs_of_mask(mask, backend.where()).runs);
  EXPECT_EQ(runs, (std::vector<Run>{{0, 2, 5}, {0, 31, 35}, {1, 34, 35}}));
}

TYPED_TEST(LabelImageTest, NoRunsMakeAnEmptyMap) {
  const auto& backend = this->backend();
  Image<std::int32_t, TypeParam> map;
  map.shape = {35, 4};
  map.pixels = backend.put(std::vector<std::int32_t>(140, 0));
  const LabelledRuns<TypeParam> found = runs_of_labels(map, backend.where());
  EXPECT_TRUE(found.labels.empty());
  const auto back = backend.get(map_labels(found.runs, found.components.label, backend.where()).pixels);
  EXPECT_EQ(back, std::vector<std::int32_t>(140, 0));
}

TYPED_TEST(LabelImageTest, ALabelBelowZeroIsAMistake) {
  const auto& backend = this->backend();
  Image<std::int32_t, TypeParam> map;
  map.shape = {3, 1};
  map.pixels = backend.put(std::vector<std::int32_t>{4, -7, 0});
  EXPECT_THROW(runs_of_labels(map, backend.where()), Error);
}

/// Pieces by flood fill, pixel by pixel, in raster order.
std::vector<std::int32_t> pieces_of(const std::vector<std::int32_t>& map, const Shape& shape,
                                    std::int64_t connectivity) {
  std::vector<std::int32_t> piece(map.size(), 0);
  std::int32_t next = 0;
  for (std::size_t start = 0; start < map.size(); ++start) {
    if (map[start] == 0 || piece[start] != 0) continue;
    piece[start] = ++next;
    std::vector<std::size_t> open = {start};
    while (!open.empty()) {
      const auto here = static_cast<std::int64_t>(open.back());
      open.pop_back();
      for (std::int64_t step = 0; step < 9; ++step) {
        const std::int64_t dx = step % 3 - 1, dy = step / 3 - 1;
        const std::int64_t x = here % shape.width + dx, y = here / shape.width + dy;
        if ((connectivity == 4 && dx != 0 && dy != 0) || x < 0 || y < 0 || x >= shape.width || y >= shape.height)
          continue;
        const auto there = static_cast<std::size_t>(y * shape.width + x);
        if (map[there] != map[start] || piece[there] != 0) continue;
        piece[there] = next;
        open.push_back(there);
      }
    }
  }
  return piece;
}

TEST(LabelImage, WhatIsInPiecesBecomesSeveralInRasterOrder) {
  const Cpu where{3};
  for (const Shape& shape : shapes) {
    for (const std::int64_t connectivity : {4, 8}) {
      const std::vector<std::int32_t> pixels = random_map(shape, {9, 2, 5}, 0.3, 7);
      Image<std::int32_t, Cpu> map(shape, where);
      std::ranges::copy(pixels, map.pixels.begin());
      const LabelledRuns<Cpu> found = runs_of_labels(map, where);
      const Components<Cpu> pieces = in_one_piece(found.runs, found.components.label, connectivity, where);
      const Image<std::int32_t, Cpu> drawn = map_labels(found.runs, pieces.label, where);
      const std::vector<std::int32_t> expected = pieces_of(pixels, shape, connectivity);
      EXPECT_TRUE(std::ranges::equal(std::span(drawn.pixels.begin(), drawn.pixels.end()), expected));
      EXPECT_EQ(pieces.counts->kept, std::ranges::max(expected));
    }
  }
}

}  // namespace
}  // namespace srcextract
