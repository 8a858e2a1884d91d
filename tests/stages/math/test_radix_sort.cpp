#include "stages/math/radix_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace srcextract {
namespace {

/// Equal numbers are told apart, too: -0 before +0.
std::vector<std::uint32_t> bits_of_all(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

void expect_sorted_as_std_sort_does(std::vector<float> values) {
  std::vector<float> expected = values;
  std::ranges::sort(expected,
                    [](float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); });
  radix_sort(values);
  EXPECT_EQ(bits_of_all(values), bits_of_all(expected));
}

TEST(RadixSort, SortsNumbersOfAllMagnitudes) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::mt19937 random(1);
  std::vector<float> values{infinity,
                            -infinity,
                            0.0F,
                            -0.0F,
                            0.0F,
                            -0.0F,
                            std::numeric_limits<float>::denorm_min(),
                            -std::numeric_limits<float>::denorm_min(),
                            std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::lowest()};
  while (values.size() < 20000) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isnan(value)) values.push_back(value);
  }
  expect_sorted_as_std_sort_does(values);
}

TEST(RadixSort, SortsASky) {
  std::mt19937 random(2);
  std::normal_distribution<float> sky(100, 1);
  std::vector<float> values(4096);
  std::ranges::generate(values, [&] { return std::round(10 * sky(random)) / 10; });
  expect_sorted_as_std_sort_does(values);
}

TEST(RadixSort, SortsFewAndEqualNumbers) {
  expect_sorted_as_std_sort_does({});
  expect_sorted_as_std_sort_does({-1.5F});
  expect_sorted_as_std_sort_does({2, -1});
  expect_sorted_as_std_sort_does(std::vector<float>(5000, 7.0F));
}

/// Numbers that share digits, of which a pass may be left out, in memory that is kept.
TEST(RadixSort, SortsWholeNumbers) {
  std::mt19937 random(3);
  std::vector<std::uint32_t> scratch;
  for (const std::uint32_t mask : {0xffffffffU, 0xffU, 0x3ff800U, 0xffc00000U, 0U}) {
    for (const std::size_t count : {0U, 1U, 2U, 942U, 5000U}) {
      std::vector<std::uint32_t> keys(count);
      for (std::uint32_t& key : keys) key = (static_cast<std::uint32_t>(random()) & mask) | 0x400U;
      std::vector<std::uint32_t> expected = keys;
      std::ranges::sort(expected);
      radix_sort(keys, scratch);
      EXPECT_EQ(keys, expected) << mask << ' ' << count;
    }
  }
}

}  // namespace
}  // namespace srcextract
