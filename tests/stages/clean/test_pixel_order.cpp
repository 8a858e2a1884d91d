#include "stages/clean/pixel_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

namespace srcextract {
namespace {

using ::testing::ElementsAreArray;

/// A pixel: row and column.
using Pixel = std::pair<int, int>;

/// The order as its definition reads, a pixel at a time: a part is joined with those of the row below that it touches.
std::vector<Pixel> order_by_definition(const std::vector<std::vector<bool>>& mask, int reach) {
  struct Part {
    int first;
    std::vector<Pixel> pixels;
    std::vector<int> columns;  // on the last row
  };
  std::vector<Part> parts;
  for (int y = 0; y < static_cast<int>(mask.size()); ++y) {
    std::vector<Part> items = parts;  // and after them the pixels of this row
    const auto is_set = [&](int x) { return mask[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]; };
    for (int x = 0; x < static_cast<int>(mask[0].size()); ++x)
      if (is_set(x)) items.push_back({x, {{y, x}}, {x}});
    std::vector<std::size_t> group(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) group[i] = i;
    const auto join = [&](std::size_t a, std::size_t b) {
      const std::size_t from = std::max(group[a], group[b]), to = std::min(group[a], group[b]);
      std::ranges::replace(group, from, to);
    };
    for (std::size_t i = parts.size(); i < items.size(); ++i) {
      if (i > parts.size() && items[i - 1].first + 1 == items[i].first) join(i - 1, i);
      for (std::size_t p = 0; p < parts.size(); ++p)
        for (const int column : parts[p].columns)
          if (std::abs(column - items[i].first) <= reach) join(p, i);
    }
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < items.size(); ++i) members[group[i]].push_back(i);
    parts.clear();
    for (auto& [root, all] : members) {
      // Parts come before pixels in `items`, so that a stable sort has them first in a column.
      std::ranges::stable_sort(all, {}, [&](std::size_t i) { return items[i].first; });
      Part joined{};
      for (const std::size_t i : all)
        joined.pixels.insert(joined.pixels.end(), items[i].pixels.begin(), items[i].pixels.end());
      for (const std::size_t i : all)
        if (items[i].pixels.size() == 1 && items[i].pixels[0].first == y) joined.columns.push_back(items[i].first);
      joined.first = joined.columns.empty() ? 0 : joined.columns.front();
      parts.push_back(joined);
    }
  }
  return parts.size() == 1 ? parts[0].pixels : std::vector<Pixel>{};
}

/// What is connected with the pixel in the middle of random rows, cut to the rows that it has.
std::vector<std::vector<bool>> connected(std::mt19937& random, int width, int height, int reach) {
  std::vector<std::vector<bool>> filled(static_cast<std::size_t>(height)), mask;
  std::bernoulli_distribution set(0.45 + 0.15 * static_cast<double>(random() % 3));
  for (auto& row : filled)
    for (int x = 0; x < width; ++x) row.push_back(set(random));
  std::vector<std::vector<bool>> reached(filled.size(), std::vector<bool>(static_cast<std::size_t>(width)));
  std::vector<Pixel> open{{height / 2, width / 2}};
  while (!open.empty()) {
    const auto [y, x] = open.back();
    open.pop_back();
    if (y < 0 || x < 0 || y >= height || x >= width) continue;
    const auto row = static_cast<std::size_t>(y), column = static_cast<std::size_t>(x);
    if (reached[row][column] || !(filled[row][column] || (y == height / 2 && x == width / 2))) continue;
    reached[row][column] = true;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        if (reach == 1 || dx == 0 || dy == 0) open.emplace_back(y + dy, x + dx);
  }
  for (const auto& row : reached)
    if (std::ranges::find(row, true) != row.end()) mask.push_back(row);
  return mask;
}

std::vector<Run> runs_of(const std::vector<std::vector<bool>>& mask) {
  std::vector<Run> runs;
  for (std::size_t y = 0; y < mask.size(); ++y)
    for (std::size_t x = 0; x < mask[y].size(); ++x) {
      if (!mask[y][x]) continue;
      const auto column = static_cast<std::int32_t>(x);
      if (x > 0 && mask[y][x - 1]) {
        runs.back().end = column + 1;
      } else {
        runs.push_back({static_cast<std::int32_t>(y), column, column + 1});
      }
    }
  return runs;
}

TEST(PixelOrder, IsThatOfTheDefinition) {
  std::mt19937 random(5);
  PixelOrder order;
  int not_raster = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int reach = trial % 2;
    const auto mask =
        connected(random, 3 + static_cast<int>(random() % 20), 1 + static_cast<int>(random() % 12), reach);
    const std::vector<srcextract::Run> runs = runs_of(mask);
    std::vector<Pixel> pixels;
    for (const PixelOrder::Piece& piece : order.sort(runs, reach))
      for (int x = piece.begin; x < piece.end; ++x)
        pixels.emplace_back(runs[static_cast<std::size_t>(piece.index)].y, x);
    ASSERT_THAT(pixels, ElementsAreArray(order_by_definition(mask, reach))) << trial;
    not_raster += std::ranges::is_sorted(pixels) ? 0 : 1;
  }
  EXPECT_GT(not_raster, 500);
}

}  // namespace
}  // namespace srcextract
