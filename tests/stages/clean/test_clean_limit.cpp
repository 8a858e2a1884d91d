#include "stages/clean/clean_limit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace srcextract {
namespace {

/// SExtractor's loop as its definition reads (a heap that is counted from 1 there), for any m: sorted when pixel m + 1
/// comes, which is then forgotten.
float limit_by_loop(const std::vector<float>& heights, std::size_t m) {
  std::vector<float> heap(1);  // element 0 is not used
  for (std::size_t i = 0; i < heights.size(); ++i) {
    const float height = heights[i];
    if (i < m) {
      heap.push_back(height);
      continue;
    }
    if (i == m) {
      std::sort(heap.begin() + 1, heap.end());
      continue;
    }
    if (height <= heap[1]) continue;
    heap[1] = height;
    // Counted from 1 the element is j + 1, and its sons are taken to be 2 (j + 1) and the next.
    std::size_t j = 0, k = 2;
    while (k <= m) {
      if (k != m && heap[k] > heap[k + 1]) ++k;
      if (heap[j + 1] <= heap[k]) break;
      std::swap(heap[j + 1], heap[k]);
      j = k;
      k = 2 * (j + 1);
    }
  }
  return heap[1];
}

std::vector<float> random_heights(std::mt19937& random, std::size_t count) {
  // Few values, so that many are equal; or all different.
  std::vector<float> heights;
  std::uniform_int_distribution<int> few(0, 4);
  std::exponential_distribution<float> any;
  const bool ties = random() % 3 == 0;
  for (std::size_t i = 0; i < count; ++i) heights.push_back(ties ? static_cast<float>(few(random)) : any(random));
  if (random() % 4 == 0) std::ranges::sort(heights);
  if (random() % 4 == 0) std::ranges::sort(heights, std::greater<>());
  return heights;
}

TEST(CleanLimit, IsThatOfTheLoop) {
  std::mt19937 random(11);
  int unlike_a_heap = 0;
  for (int trial = 0; trial < 200'000; ++trial) {
    const std::size_t m = 1 + random() % 12;
    const std::vector<float> heights = random_heights(random, m + 1 + random() % 30);
    const auto height_of = [&](std::int64_t i) { return heights[static_cast<std::size_t>(i)]; };
    const float truth = limit_by_loop(heights, m);
    const auto count = static_cast<std::int64_t>(heights.size());
    if (m <= static_cast<std::size_t>(most_in_closed_form)) {
      ASSERT_EQ(limit_in_closed_form(count, static_cast<int>(m), height_of), truth) << m << " of " << heights.size();
    }
    std::vector<float> heap(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(m));
    std::ranges::sort(heap);
    ASSERT_EQ(limit_by_heap(count, static_cast<std::int64_t>(m), height_of, heap.data()), truth) << m;
    std::vector<float> sorted = heights;
    std::ranges::sort(sorted, std::greater<>());
    unlike_a_heap += sorted[m - 1] != truth ? 1 : 0;
  }
  EXPECT_GT(unlike_a_heap, 10'000) << "the m-th brightest would do";
}

}  // namespace
}  // namespace srcextract
